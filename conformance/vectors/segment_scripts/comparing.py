"""Holding what was observed of a step against what is told of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from conformance.vectors.differences import alike
from conformance.vectors.fields import NOTES, Fields
from conformance.vectors.segment_scripts.script import Look, Step
from conformance.vectors.segment_scripts.telling import CONFLICT, ERROR, Told
from reference_impl.segment.iterator.chunks import DISCONTINUOUS, END_OF_FILE
from spec.segment.iterator.commands import Close, Error
from spec.segment.iterator.definition import CLOSED

CLASSES: Final = "error_classes"
"""Where a case has the kinds of an error beside its text."""

SHOWN: Final = ("ok", "valid", "len", "view")
"""What a step shows as it is."""

UNJUDGED: Final = frozenset({"alignment"})
"""Numbers of segments and samples that an engine gives along: no document speaks of them."""

ERRORS: Final = {
    "eof": END_OF_FILE,
    "discontinuous": DISCONTINUOUS,
    "closed": CLOSED,
    "conflict": CONFLICT,
    "overlap": CONFLICT,
}
"""Errors by a word in their text or their kinds."""


def differences_of(step: Step, told: Told, *, tells_errors: bool) -> Iterator[str]:
    """How all that was observed of a step differs from what a machine shows."""
    observed = step.fields.below("observed", {})
    known = {*SHOWN, "series", "frame", ERROR, CLASSES, *NOTES}
    for name in observed:
        if name not in known:
            yield f"{name!r} was observed, of which the machine says nothing"
    for name in SHOWN:
        if observed.has(name) and not alike(observed.raw(name), told.get(name)):
            yield f"{name}: observed {observed.raw(name)}, told {told.get(name)}"
    for name in ("series", "frame"):
        if observed.has(name) and not _shows(observed.every(name, Fields.below), told.get(name, [])):
            yield f"{name}: observed {observed.raw(name)}, told {told.get(name, [])}"
    if tells_errors or isinstance(step.deed, Error | Close):
        error = error_of(observed)
        if error != told[ERROR]:
            yield f"error: observed {error}, told {told[ERROR]}"


def departures(step: Step, meant: Told, *, tells_errors: bool) -> Iterator[str]:
    """How what was observed of a step departs from the definition: what it answered, and which values it read."""
    observed = step.fields.below("observed", {})
    if observed.has("ok") and not isinstance(step.deed, Look) and observed.raw("ok") is not meant.get("ok", True):
        yield f"ok: defined {meant.get('ok')}, observed {observed.raw('ok')}"
    for name in ("series", "frame"):
        if observed.has(name) and not alike(values_of(observed, name), meant.get("values", [])):
            yield f"values: defined {meant.get('values', [])}, observed {values_of(observed, name)}"
    error = error_of(observed)
    if (tells_errors or isinstance(step.deed, Error | Close)) and error != meant[ERROR]:
        yield f"error: defined {meant[ERROR]}, observed {error}"


def values_of(observed: Fields, name: str) -> list[Any]:
    """All values of some series."""
    return [value for part in observed.every(name, Fields.below) for value in part.every("values", _as_it_is)]


def error_of(fields: Fields) -> str | None:
    """The error that is told: one of those that are known by a word, or its text."""
    text = text_of_error(fields)
    return None if text is None else next((error for word, error in ERRORS.items() if word in text), text)


def text_of_error(fields: Fields) -> str | None:
    """The text of an error and of its kinds, in small letters; None where there is no error."""
    said = fields.raw(ERROR)
    if said is None:
        return None
    parts = fields.below(ERROR) if isinstance(said, Mapping) else Fields({"message": said}, fields.where)
    kinds = (*parts.every("classes", Fields.text, ()), *fields.every(CLASSES, Fields.text, ()))
    return " ".join([*kinds, parts.text("message", "")]).lower()[:1000]


def _as_it_is(fields: Fields, name: str) -> Any:
    return fields.raw(name)


def _shows(observed: Sequence[Fields], told: Sequence[Mapping[str, Any]]) -> bool:
    """Whether series are as they were observed, in all that was observed of them and is judged."""
    return len(observed) == len(told) and all(
        alike(part.raw(name), shown.get(name))
        for part, shown in zip(observed, told, strict=True)
        for name in part
        if name not in UNJUDGED
    )
