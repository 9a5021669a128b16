"""Remarks: what is to be said of a log's events beyond each of them, from what else the record shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from spec.events import RECORD, SKIPPED, Deliver, Fault, Gap, Ship, Store
from spec.events.universes import NODES
from spec.language.events import AnyEvent, column
from spec.language.story import EventRow, SplitPosition, Step
from spec.log.story.phrases import place

REASON: Final = column(Gap.reason)
SENT: Final = column(Ship.becomes)


def rivals(event: EventRow, focus: set[SplitPosition]) -> Iterator[SplitPosition]:
    """The LSNs whose records a reader was given in place of these, where numbers go on across epochs."""
    if event["kind"] == Gap.kind and event[REASON] == SKIPPED and event["upto_esn"] + 1 == event["esn"]:
        yield from ((event["upto_epoch"], esn) for epoch, esn in focus if epoch < event["upto_epoch"])


def stored(step: Step) -> Iterator[str]:
    """Who stored a copy; whether it is the only one; and whether it stands in another record's place."""
    here = _place(step.events[0])
    if here in step.scenes.focus and len(_holders(step, here)) == 1:
        yield step.tell("{node} alone stored {outcome} at {lsn}: no other copy was recorded.")
    else:
        yield step.tell()
    stores = (one for before in step.earlier for one in before if one["kind"] == Store.kind)
    if here in step.scenes.rivals and all(_place(one) != here for one in stores):
        yield from _in_the_place_of_others(step, here)


def _in_the_place_of_others(step: Step, here: SplitPosition) -> Iterator[str]:
    """Whose number a record has, and who had that and took no part."""
    for taken in sorted(one for one in step.scenes.focus if one[1] == here[1]):
        yield f"That is the number of {place(*taken)}, in a later epoch."
        lone = _holders(step, taken)
        if len(lone) == 1 and not lone & _nodes(step.events) and not _met_a_fault(lone, step.earlier):
            yield f"{step.names.all_of(NODES, lone)}, the only node that had {place(*taken)}, took no part."


def delivered(step: Step) -> Iterator[str]:
    """What a reader was given, and who served it: as the event says, else whoever was seen to send it."""
    given = step.events[0]
    same = ("log", "epoch", "esn", column(Deliver.reader), "digest")
    sent = frozenset(
        event["node"]
        for before in step.earlier
        for event in before
        if event["kind"] == Ship.kind and event[SENT] == RECORD and all(event[name] == given[name] for name in same)
    )
    by = step.names.all_of(NODES, sent) if sent else ""
    yield step.tell("{reader} was given {payload} at {lsn}[, served by {server}|, served by {senders}].", senders=by)


def _place(event: EventRow) -> SplitPosition:
    return event["epoch"], event["esn"]


def _nodes(events: Sequence[EventRow]) -> frozenset[int]:
    return frozenset(event["node"] for event in events)


def _holders(step: Step, here: SplitPosition) -> frozenset[int]:
    """The nodes that stored a copy at an LSN, as far as they are known."""
    stores = (event for event in step.scenes.events if event["kind"] == Store.kind and _place(event) == here)
    return frozenset(event["node"] for event in stores if event["node"] is not None)


def _met_a_fault(nodes: frozenset[int], steps: Sequence[tuple[EventRow, ...]]) -> bool:
    return any(event["kind"] == Fault.kind and event["node"] in nodes for step in steps for event in step)


REMARKS: Final[dict[type[AnyEvent], Callable[[Step], Iterator[str]]]] = {Store: stored, Deliver: delivered}
"""Of which kinds more is said."""
