"""Payloads: which append the record is of that a reader was given.

Where its LSN was acknowledged, that is said. Elsewhere it must be of an append whose outcome its client does not know,
and that fits: of the same payload, begun before, by a client that knew of no greater LSN. LSN by LSN, that of these is
taken which began last, so that as many as possible find their append.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple

from spec.client.bookkeeping.fields import BEGUN_BEFORE, INVOKED
from spec.client.bookkeeping.knowledge import NOTHING
from spec.client.bookkeeping.recording import RecorderPosition, Recording
from spec.client.bookkeeping.writers import ONE_OF_SOME, Begun
from spec.events import Ack, Deliver
from spec.language.bookkeeping import Event

NOBODY: Final = -1
"""Instead of a recorder: the record is of no append that anybody saw begin."""


class Meant(NamedTuple):
    """The append that a record is of: what events say of it in the columns of ``SAID``, and what it may be instead.

    Attributes:
        others: where it may have begun instead, as in ``Begun``; None: nobody can say.
    """

    invoker: int | None = None
    seq: int | None = None
    time: int | None = None
    after: int | None = None
    perhaps_after: int | None = None
    others: tuple[RecorderPosition, ...] | None = None


SAID: Final = ("invoker", INVOKED, "invoked_at_ns", "after", "perhaps_after")
"""The columns that say which append an event is about, and what its client knew when it began."""

UNKNOWN: Final = Meant()
"""An append of which nobody knows which it is."""


class Payloads:
    """The appends of which nobody was told that they are anywhere.

    Args:
        unsettled: these appends, with their logs.
        early: the deliveries that came before their append began, by recorder and place.
    """

    def __init__(
        self, unsettled: Iterable[tuple[int, Begun]], recording: Recording, early: Collection[RecorderPosition] = ()
    ) -> None:
        self.recording, self.early = recording, early
        self.free: dict[tuple[int, int | None], list[Begun]] = defaultdict(list)
        for log, begun in unsettled:
            self.free[log, begun.digest].append(begun)

    def of_lsn(self, events: Sequence[Event]) -> list[Event]:
        """The events at one LSN, each delivery with its append; LSNs of a log come in their order."""
        given: dict[object, list[Event]] = defaultdict(list)
        for event in events:
            if event["kind"] == Deliver.kind and event.get("digest") is not None:
                given[event["digest"]].append(event)
        if not given:
            return list(events)
        acks = [event for event in events if event["kind"] == Ack.kind]
        found = {digest: self._append_of(digest, acks, copies) for digest, copies in given.items()}
        return [
            self._told(event, found[event["digest"]])
            if event["kind"] == Deliver.kind and event.get("digest") is not None
            else event
            for event in events
        ]

    def _append_of(self, digest: object, acks: Sequence[Event], given: Sequence[Event]) -> Meant:
        """The append of a record: the one that is acknowledged there, or that fits best, which is free no longer.

        One that does not fit is taken where none does, and no append either of which nobody recorded the payload.
        """
        for ack in acks:
            if ack.get("digest") == digest:
                return self._acknowledged(ack)
        if not self.recording.appends:
            return UNKNOWN
        free = self.free.get((given[0]["log"], given[0]["digest"]), [])
        begun = None if acks else max(free, key=lambda one: self._fitness(one, given), default=None)
        if (begun is None or not self._fits(begun, given)) and self._may_be_unnamed(acks, given):
            return UNKNOWN
        if begun is None:
            return Meant(NOBODY, None, None, NOTHING, NOTHING)
        free.remove(begun)
        return self._meant(begun)

    def _acknowledged(self, ack: Event) -> Meant:
        """The append that is acknowledged; where it may be one that began earlier, nobody knows which."""
        is_first = ack[BEGUN_BEFORE] != ONE_OF_SOME
        if not is_first and not self.recording.appends:
            return UNKNOWN
        invoker, seq, time, after, perhaps_after = (ack.get(name) for name in SAID)
        return Meant(invoker, seq, time, after, perhaps_after, () if is_first else None)

    def _meant(self, begun: Begun) -> Meant:
        invoker = self.recording.recorders[begun.recorder]
        return Meant(invoker, begun.seq, begun.time, begun.after, begun.perhaps_after, begun.others)

    def _may_be_unnamed(self, acks: Sequence[Event], given: Sequence[Event]) -> bool:
        """The record may be of an append whose payload nobody recorded."""
        if acks:
            return any(ack.get("digest") is None for ack in acks)
        return any(self._fits(one, given) for one in self.free.get((given[0]["log"], None), ()))

    def _fits(self, begun: Begun, given: Sequence[Event]) -> bool:
        return self._fitness(begun, given)[0] > 0

    def _fitness(self, begun: Begun, given: Sequence[Event]) -> tuple[int, int, int]:
        """How well an append fits a record: as clocks stand, as they may be, or not at all; the later one is better."""
        lsn, seen = self.recording.lsn(given[0]), [self.began_before(event, self._meant(begun)) for event in given]
        order = 2 if begun.perhaps_after < lsn else 1 if begun.after < lsn else 0
        time = 2 if all(seen) else 0 if 0 in seen else 1
        return min(order, time), -1 if begun.time is None else begun.time, begun.seq

    def _told(self, event: Event, meant: Meant) -> Event:
        said = event | dict(zip(SAID, meant[:-1], strict=True))
        if meant.invoker is None or meant.invoker == NOBODY:
            return said | {BEGUN_BEFORE: 1 if self.recording.appends else None}
        return said | {BEGUN_BEFORE: self.began_before(event, meant)}

    def began_before(self, event: Event, meant: Meant) -> int | None:
        """0 if an append began after an event, None if that is open; 1 if nothing shows that it did."""
        recorder, own, now = event["recorder"], event["seq"], event.get("time_ns")
        if (recorder, own) in self.early:
            return 0
        if self.recording.recorders[recorder] == meant.invoker:
            if meant.seq is None or meant.seq < own:
                return 1
            perhaps = meant.others is None or any(other != recorder or seq < own for other, seq in meant.others)
            return None if perhaps else 0
        if meant.time is None or now is None or meant.time <= now:
            return 1
        return 0 if self.recording.surely_before(now, meant.time) else None
