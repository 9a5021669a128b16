"""Scripts of gates: who opens, bids and releases, and what an engine answered.

A step says what it did, and under ``observed`` an ``error``, how many resources were opened, or the ``transfer`` of
control: from whom and to whom, each a gate and its authority.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from conformance.vectors.differences import Explained, alike
from conformance.vectors.fields import NOTES, Fields
from conformance.vectors.segment_scripts.comparing import CLASSES, text_of_error
from conformance.vectors.segment_scripts.script import range_of
from conformance.vectors.segment_scripts.telling import ERROR
from reference_impl.segment.gates import (
    Answered,
    Bid,
    Regions,
    bid_anew,
    covered,
    is_authorized,
    opened,
    released,
)

REFUSED_WIDENS: Final = "refused_open_widens"
"""The class of difference: a gate that is refused has widened the region that it asked for."""

AUTHORITY_MAX: Final = 255
EXCLUSIVE, SHARED = "exclusive", "shared"
Told = Mapping[str, Any]


def seen(case: Fields) -> Explained | tuple[str, ...]:
    """How what was observed differs from what gates should do: not at all, in the known way, or in another.

    Raises:
        DamagedVectors: the case is no script of gates.
    """
    is_shared = case.choice("concurrency", {EXCLUSIVE: False, SHARED: True}) if "concurrency" in case else False
    steps = case.every("steps", Fields.below)
    right, shipped = (_first_difference(steps, is_shared=is_shared, widens=widens) for widens in (False, True))
    if not right:
        return ()
    case.raw("steps")  # what would have come after it does not matter
    return (right,) if shipped else Explained((REFUSED_WIDENS,))


def _first_difference(steps: tuple[Fields, ...], *, is_shared: bool, widens: bool) -> str:
    """The first step at which something else was observed; empty where there is none."""
    regions: Regions = ()
    for number, step in enumerate(steps, start=1):
        regions, told = _taken(regions, step, is_shared=is_shared, widens=widens)
        for name, value in _observed(step).items():
            if not alike(value, told.get(name)):
                return f"step {number}: {name}: observed {value}, told {told.get(name)}"
    return ""


def _taken(regions: Regions, step: Fields, *, is_shared: bool, widens: bool) -> tuple[Regions, Told]:
    operation = step.choice(
        "op", {name: name for name in ("open", "release", "set_authority", "authorize", "resource_at")}
    )
    if operation == "resource_at":
        return regions, {"ok": covered(regions, range_of(step, "range"))}
    gate = step.text("gate")
    if operation == "open":
        return _told(opened(regions, _bid(step, gate, is_shared=is_shared), refused_widens=widens))
    if operation == "authorize":
        ok = is_authorized(regions, gate, is_shared=is_shared)
        return regions, {"ok": ok, "authorized": ok, ERROR: None if ok else "unauthorized"}
    if not any(gate in region.gates for region in regions):
        raise step.refuse_part("no such gate", "gate", "a gate that is open")
    if operation == "release":
        return _told(released(regions, gate))
    return _told(bid_anew(regions, gate, _authority(step)))


def _bid(step: Fields, gate: str, *, is_shared: bool) -> Bid:
    must_hold, must_be_first = (
        step.flag(name, default=False) for name in ("err_on_unauthorized_open", "err_if_controlled")
    )
    return Bid(gate, _authority(step), range_of(step, "range"), must_hold, must_be_first, is_shared)


def _authority(step: Fields) -> int:
    return step.number("authority", most=AUTHORITY_MAX)


def _told(answer: Answered) -> tuple[Regions, Told]:
    ends = [None if held is None else list(held) for held in (answer.before, answer.after)]
    return answer.regions, {
        "ok": answer.error is None,
        ERROR: answer.error,
        "resource_opened": int(answer.has_opened),
        "transfer": None if ends == [None, None] else dict(zip(("from", "to"), ends, strict=True)),
    }


def _observed(step: Fields) -> dict[str, Any]:
    """What was observed of a step; where no error was, that is observed, too."""
    observed = step.below("observed", {})
    told = {name: observed.raw(name) for name in observed if name not in {ERROR, CLASSES, *NOTES}}
    if told.get("transfer") == {"from": None, "to": None}:
        told["transfer"] = None
    return {**told, ERROR: _known_error(observed)}


def _known_error(observed: Fields) -> str | None:
    text = text_of_error(observed)
    known = ("unauthorized", "validation", "multiple control regions")
    return None if text is None else next((word for word in known if word in text), text)
