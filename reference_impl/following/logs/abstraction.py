"""The abstraction of logs: what each recorded event comes to in the words of the text ``Epoch``.

What nobody records shows later: whom a recovery heard had sealed for its round; what is released or clean was
acknowledged; where a recovery has replicated what it decided, it counts copies of others; a copy that is gone was
overruled and purged, or nobody needed it, or it vanished.
"""

# ruff: noqa: ARG001 - all of them have one signature

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias

from reference_impl.following.claims import EventRow, Unfounded
from reference_impl.following.logs.observed import ObservedLog
from reference_impl.following.logs.state import There, Unrecorded
from reference_impl.log.lsn import ESN_MAX
from reference_impl.refinement.abstraction import AbstractStep, ClaimedStep, Holding, Trimmed
from reference_impl.refinement.contents import LAST_ROUND, PAYLOAD, SEQUENCER, By, Content
from reference_impl.refinement.texts import EpochText, settler
from spec import events
from spec.events import BRIDGE, HOLE, RECORD
from spec.language.events import column

RECOVERY: Final = column(events.Planned.recovery)
ROUND: Final = column(events.Planned.round)
BECOMES: Final = column(events.Store.becomes)
DONOR: Final = column(events.Rebuilt.donor)


class OneOf(NamedTuple):
    """One of several steps was taken, and nobody recorded which: the first that can be."""

    epoch: int
    claims: tuple[ClaimedStep, ...]


Told: TypeAlias = AbstractStep | There | Unrecorded | OneOf | Unfounded
"""What an event comes to."""

TextOf: TypeAlias = Callable[[int], EpochText]
"""The text of an epoch as far as it has come."""

WHEREVER_IT_ENDS: Final = -1
"""Stands for the slot at which a digest ends."""


def told_by(event: EventRow, observed: ObservedLog, text_of: TextOf) -> Iterator[Told]:
    """What an event of a log comes to, in order; nothing where the text does not speak of it."""
    if event["kind"] not in CLAIMING:
        return
    if (ungiven := _ungiven(event, observed)) is not None:
        yield Unfounded(f"epoch {ungiven} has not been given to any sequencer")
    if event["kind"] == events.Seal.kind:
        yield from _seal(event, text_of)
        return
    text, esn = text_of(event["epoch"]), event["esn"]
    if event["kind"] in AT_SLOTS and not 1 <= esn <= len(text.payloads) + 2:
        yield Unfounded(f"ESN {esn} is none of an epoch that has come to ESN {len(text.payloads)}")
    yield from HANDLERS[event["kind"]](event, observed, text)


def _ungiven(event: EventRow, observed: ObservedLog) -> int | None:
    """An epoch of which an event speaks, and that the epoch store has not given out; None: there is none.

    Who seals or recovers an epoch is of a later one.
    """
    if event["kind"] == events.Seal.kind:
        return None if event["epoch"] + 1 in observed.given else event["epoch"] + 1
    by_recovery = event["kind"] in BY_RECOVERIES and event[RECOVERY]
    epochs = (event["epoch"], event[RECOVERY]) if by_recovery else (event["epoch"],)
    return next((epoch for epoch in epochs if epoch not in observed.given), None)


BY_RECOVERIES: Final = frozenset(
    event.kind for event in (events.Store, events.Digest, events.Planned, events.Mutate, events.Clean, events.Purged)
)
"""The kinds of event that name a recovery; 0 where it is none."""

AT_SLOTS: Final = frozenset(
    event.kind
    for event in (
        events.Append,
        events.Streamed,
        events.Ack,
        events.Store,
        events.Digest,
        events.PurgeSurvivor,
        events.Erase,
        events.Rebuilt,
        events.Mutate,
        events.Clean,
    )
)
"""The kinds of event that are about one slot: one that was appended, the next one, or a bridge after that."""


# ------------------------------------------------------------------------------------------------ sequencers


def _append(event: EventRow, observed: ObservedLog, text: EpochText) -> Iterator[Told]:
    """The sequencer takes a payload for its next slot."""
    yield ClaimedStep(event["epoch"], "assign", (event["esn"] - 1, PAYLOAD), payload=event["digest"])


def _streamed(event: EventRow, observed: ObservedLog, text: EpochText) -> Iterator[Told]:
    """What was appended is of a stream."""
    yield Unrecorded(event["epoch"], streamed=(event["esn"] - 1,))


def _ack(event: EventRow, observed: ObservedLog, text: EpochText) -> Iterator[Told]:
    """A client hears that its record is safe; in a stream, so is all before it."""
    epoch, slot = event["epoch"], event["esn"] - 1
    if (slot,) in text.state["streamed"]:
        yield from _acknowledged(epoch, text, slot)
    yield There(epoch, slot, (Content(RECORD, event["digest"]),), SEQUENCER)
    yield ClaimedStep(epoch, "acknowledge", (slot,))


def _release(event: EventRow, observed: ObservedLog, text: EpochText) -> Iterator[Told]:
    """What is released of a running epoch may have been acknowledged."""
    if not text.state["clean"]:
        yield from _acknowledged(event["epoch"], text, event["esn"])


def _acknowledged(epoch: int, text: EpochText, below: int) -> Iterator[Told]:
    acked = text.state["acked"]
    yield from (ClaimedStep(epoch, "acknowledge", (slot,)) for slot in range(below) if (slot,) not in acked)


# ------------------------------------------------------------------------------------------------ nodes


def _store(event: EventRow, observed: ObservedLog, text: EpochText) -> Iterator[Told]:
    """A node stores what the sequencer took, or what a recovery decided in some round."""
    epoch, node, slot, content = event["epoch"], event["node"], event["esn"] - 1, _content(event)
    by = SEQUENCER
    if event[RECOVERY]:
        by = _round(text, event[RECOVERY], node, slot, content)
    yield ClaimedStep(epoch, "store", (node, by, slot), holdings=(Holding(by, slot, content),))


def _content(event: EventRow) -> Content:
    return Content(event[BECOMES], event["digest"])


def _round(text: EpochText, recovery: int, node: int, slot: int, content: Content) -> By:
    """The last round of a recovery that proposed this and that the node still obeys; where there is none, the last."""
    state, value = text.state, content.value(slot, text.payloads)
    latest = max((writer for one, writer in state["sealed"] if one == node), default=0)
    rounds = [by for by in text.writers if by.recovery == recovery]
    for by in reversed(rounds):
        number = text.number_of(by)
        if latest <= number and (number, slot, value) in state["proposed"]:
            return by
    return rounds[-1] if rounds else By(recovery, 1)


def _seal(event: EventRow, text_of: TextOf) -> Iterator[Told]:
    """A node promises to take nothing more of all epochs up to one that it has not purged."""
    node, seal = event["node"], event["epoch"]
    for epoch in range(1, seal + 1):
        if (node,) not in text_of(epoch).state["purged"]:
            yield ClaimedStep(epoch, "seal", (node, By(seal + 1, 1)))


def _digest(event: EventRow, observed: ObservedLog, text: EpochText) -> Iterator[Told]:
    """A node tells a recovery of a copy that it has; who wrote no payload wrote a hole or a bridge."""
    digest = event["digest"]
    contents = (Content(RECORD, digest),) if digest else (Content(HOLE), Content(BRIDGE))
    yield There(event["epoch"], event["esn"] - 1, contents, node=event["node"])


def _purged(event: EventRow, observed: ObservedLog, text: EpochText) -> Iterator[Told]:
    """A node repairs its copies of a clean epoch."""
    yield ClaimedStep(event["epoch"], "purge", (event["node"],))


def _kept(event: EventRow, observed: ObservedLog, text: EpochText) -> Iterator[Told]:
    """What a node still has that has purged an epoch is the outcome."""
    where = event["epoch"], event["esn"] - 1, (_content(event),)
    yield There(*where)
    yield There(*where, node=event["node"])


def _erase(event: EventRow, observed: ObservedLog, text: EpochText) -> Iterator[Told]:
    """A copy that is gone went with its disk, was overruled, was not needed, or vanished."""
    epoch, node, slot = event["epoch"], event["node"], event["esn"] - 1
    if node in observed.cluster.wiped or node in observed.cluster.empty or is_gone(text, node, slot):
        return
    claims = [ClaimedStep(epoch, "vanish", (slot,))]
    if node in observed.dismissed.get((epoch, event["esn"]), ()):
        claims.insert(0, ClaimedStep(epoch, "drop", (node, slot, 0)))
    if node not in observed.cluster.asleep and is_overruled(text, node, slot):
        claims.insert(0, ClaimedStep(epoch, "purge", (node,)))
    yield OneOf(epoch, tuple(claims))


def is_gone(text: EpochText, node: int, slot: int) -> bool:
    """What a node had at a slot is gone already: it went with all that was purged, or vanished everywhere at once."""
    state = text.state
    has = any((one, at) == (node, slot) for one, _, at in state["copy"])
    return not has and ((node,) in state["purged"] or (slot,) in state["vanished"])


def is_overruled(text: EpochText, node: int, slot: int) -> bool:
    """What a node has at a slot of a clean epoch, and has not purged yet, is not the outcome."""
    state, writer = text.state, settler(text.state)
    there = {whose for one, whose, at in state["copy"] if (one, at) == (node, slot)}
    return writer > 0 and (node,) not in state["purged"] and bool(there) and writer not in there


def _trimmed(event: EventRow, observed: ObservedLog, text: EpochText) -> Iterator[Told]:
    """A node deletes all up to an LSN."""
    last, esn = event["epoch"], event["esn"]
    yield from (Trimmed(epoch, event["node"], ESN_MAX) for epoch in range(1, last))
    if last and esn:
        yield Trimmed(last, event["node"], esn)


def _rebuilt(event: EventRow, observed: ObservedLog, text: EpochText) -> Iterator[Told]:
    """A node holds what a donor brought."""
    epoch, slot = event["epoch"], event["esn"] - 1
    holding = Holding(None, slot, _content(event))
    yield ClaimedStep(epoch, "rebuild", (slot, event[DONOR], event["node"]), holdings=(holding,))


# ------------------------------------------------------------------------------------------------ recoveries


def _planned(event: EventRow, observed: ObservedLog, text: EpochText) -> Iterator[Told]:
    """A recovery decides; whom it heard, and who had sealed for it, had done so for this round, too."""
    epoch, by, heard = event["epoch"], By(event[RECOVERY], event[ROUND]), event["nodes"]
    sealed = {node for node, writer in text.state["sealed"] if writer and text.writers[writer - 1].recovery == by[0]}
    yield Unrecorded(epoch, sealed=tuple((node, by) for node in sorted(heard & sealed)))
    yield ClaimedStep(epoch, "plan", (by, 0, WHEREVER_IT_ENDS), heard=heard)


def _mutated(event: EventRow, observed: ObservedLog, text: EpochText) -> Iterator[Told]:
    """What a recovery decided is replicated: what it does not store it counts, as those have it whom it heard."""
    epoch, slot = event["epoch"], event["esn"] - 1
    by = max((by for by in text.writers if by.recovery == event[RECOVERY]), default=By(event[RECOVERY], 1))
    yield There(epoch, slot, (_content(event),), by)
    heard = observed.heard.get((epoch, by), frozenset())
    yield Unrecorded(epoch, stored=tuple((node, by, slot) for node in sorted(heard & _agreeing(text, by, slot))))


def _agreeing(text: EpochText, by: By, slot: int) -> frozenset[int]:
    """The nodes that have what a writer proposed at a slot, from whomever, and may still store it."""
    state, writer = text.state, text.number_of(by)
    contents = {(whose, value) for whose, at, value in state["proposed"] if at == slot}
    same = {whose for whose, value in contents if (writer, value) in contents}
    out = {node for node, _ in state["status"]} | {node for (node,) in state["purged"]}
    return frozenset(node for node, whose, at in state["copy"] if at == slot and whose in same) - out


def _clean(event: EventRow, observed: ObservedLog, text: EpochText) -> Iterator[Told]:
    """An epoch is clean; what its recovery did not decide was known to be good."""
    epoch, recovery = event["epoch"], event[RECOVERY]
    state, acked = text.state, text.state["acked"]
    rounds = {text.number_of(by) for by in text.writers if by.recovery == recovery}
    decided = {slot for _, writer, slot in state["stored"] if writer in rounds}
    good = (slot for slot in range(event["esn"] - 1) if (slot,) not in acked and slot not in decided)
    yield from (ClaimedStep(epoch, "acknowledge", (slot,)) for slot in good)
    yield ClaimedStep(epoch, "declare_clean", (By(recovery, LAST_ROUND),))
    yield There(epoch, event["esn"] - 1, (Content(BRIDGE),))


HANDLERS: Final[Mapping[int | None, Callable[[EventRow, ObservedLog, EpochText], Iterator[Told]]]] = {
    events.Append.kind: _append,
    events.Streamed.kind: _streamed,
    events.Ack.kind: _ack,
    events.Release.kind: _release,
    events.Store.kind: _store,
    events.Digest.kind: _digest,
    events.Purged.kind: _purged,
    events.PurgeSurvivor.kind: _kept,
    events.Erase.kind: _erase,
    events.Trimmed.kind: _trimmed,
    events.Rebuilt.kind: _rebuilt,
    events.Planned.kind: _planned,
    events.Mutate.kind: _mutated,
    events.Clean.kind: _clean,
}
"""What each kind of event comes to."""

CLAIMING: Final = HANDLERS.keys() | {events.Seal.kind}
"""The kinds of event that come to anything."""
