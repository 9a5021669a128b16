"""Cases of iterators over segments: a script, and what a real engine answered at each step.

Where the engine departs from the definition, the definition is right, and the case must be explained: the machine with
all flaws that Synnax's iterator is known to have shows exactly what was observed, view by view, and those of them of
which none can be left out name the class of the difference. What they do not explain disagrees.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

from conformance.vectors.differences import Explained, alike
from conformance.vectors.fields import Fields
from conformance.vectors.segment_scripts import gates
from conformance.vectors.segment_scripts.channels import Channels, Write
from conformance.vectors.segment_scripts.comparing import departures, differences_of, error_of
from conformance.vectors.segment_scripts.script import Script, Step, WriteAll, script_of
from conformance.vectors.segment_scripts.telling import ERROR, Told, told_by_definition, told_by_machine
from reference_impl.segment.iterator.flaws import SHIPPED, Flaw
from reference_impl.segment.storage import Overlap

ENGINE, ITERATOR, GATE = "cesium", "unary", "gate"
"""What a script talks to: the engine, whose calls tell no error; the iterator of one channel; or gates of writers."""


STORES_DISORDER, STORES_BEFORE_START = "stores_disorder", "stores_before_start"
"""Classes of differences that begin with what is stored: the order of times is not looked at, nor the first of them."""


def seen(case: Fields) -> Explained | tuple[str, ...]:
    """By which flaws a case departs from the definition; nothing where it does not, and how if none explains it.

    Raises:
        DamagedVectors: the case is no script of an iterator.
    """
    if case.raw("level") == GATE:
        return gates.seen(case)
    tells_errors = case.choice("level", {ENGINE: False, ITERATOR: True, GATE: False})
    try:
        script = script_of(case)
    except Overlap as overlap:
        raise case.refuse("segments overlap", str(overlap), "a layout whose writes do not") from overlap
    meant = list(told_by_definition(script))
    departs = any(
        _any(departures(step, told, tells_errors=tells_errors)) for step, told in zip(script.steps, meant, strict=True)
    )
    if not departs:
        return tuple(_wrong_models(script, meant, frozenset()))
    if unexplained := _first_difference(script, SHIPPED, tells_errors=tells_errors):
        return (unexplained,)
    classes = _needed(script, tells_errors=tells_errors)
    named = (*_of_storage(script), *(flaw.name.lower() for flaw in Flaw if flaw in classes))
    wrong = tuple(_wrong_models(script, meant, classes))
    return wrong or (Explained(named) if named else ("it departs from the definition, and no flaw is the reason",))


def _of_storage(script: Script) -> Iterator[str]:
    """How what was stored departs from what a channel may have, before anybody reads it.

    Synnax, Segment distribution, Channels: values are time-ordered; a segment begins where its writer does.
    """
    writes = [write for step in script.steps if isinstance(step.deed, WriteAll) for write in step.deed.writes]
    stores = reduce(_if_free, writes, script.channels).stores
    segments = [segment for store in stores.values() for segment in store]
    if any(list(segment.times) != sorted(segment.times) for segment in segments):
        yield STORES_DISORDER
    if any(segment.times and min(segment.times) < segment.range.start for segment in segments):
        yield STORES_BEFORE_START


def _if_free(channels: Channels, write: Write) -> Channels:
    try:
        return channels.after(write)
    except Overlap:
        return channels


def _first_difference(script: Script, flaws: frozenset[Flaw], *, tells_errors: bool) -> str:
    """The first step at which a machine shows something else than what was observed; empty where there is none."""
    for number, (step, told) in enumerate(zip(script.steps, told_by_machine(script, flaws), strict=True), start=1):
        for difference in differences_of(step, told, tells_errors=tells_errors):
            return f"step {number}: {difference}"
    return ""


def _needed(script: Script, *, tells_errors: bool) -> frozenset[Flaw]:
    """Flaws with which the machine still shows what was observed, and of which none can be left out."""
    kept, before = SHIPPED, None
    while kept != before:
        before = kept
        for flaw in sorted(kept, key=list(Flaw).index):
            if not _first_difference(script, kept - {flaw}, tells_errors=tells_errors):
                kept -= {flaw}
    return kept


def _wrong_models(script: Script, meant: list[Told], classes: frozenset[Flaw]) -> Iterator[str]:
    """What a case says that a model answers, and neither the definition nor the engine without one flaw does."""
    others = [list(told_by_machine(script, SHIPPED - {flaw})) for flaw in sorted(classes, key=lambda flaw: flaw.name)]
    for number, step in enumerate(script.steps):
        if "model" not in step.fields:
            continue
        answers = [meant[number], *(_as_model(told[number]) for told in others)]
        if not any(_is_model(step, answer) for answer in answers):
            yield f"step {number + 1}: model {step.fields.raw('model')}, defined {dict(meant[number])}"


def _as_model(told: Told) -> Told:
    parts = told.get("series") or told.get("frame") or []
    return {"ok": told.get("ok"), ERROR: told[ERROR], "values": [value for part in parts for value in part["values"]]}


def _is_model(step: Step, answer: Told) -> bool:
    model = step.fields.below("model")
    if model.has("ok") and model.raw("ok") is not answer.get("ok"):
        return False
    if model.has("values") and not alike(model.raw("values"), answer.get("values", [])):
        return False
    return not model.has(ERROR) or error_of(model) == answer[ERROR]


def _any(differences: Iterator[str]) -> bool:
    return next(differences, None) is not None
