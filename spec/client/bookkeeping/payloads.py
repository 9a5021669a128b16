"""Payloads: which append the record is of that a reader was given.

Where its LSN was acknowledged, that is said. Elsewhere it must be of an append whose outcome its client does not know,
and that fits: of the same payload, begun before, by a client that knew of no greater LSN. LSN by LSN, that of these is
taken which began last, so that as many as possible find their append.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from spec.client.bookkeeping.knowledge import NOTHING
from spec.client.bookkeeping.recording import Event, Place, Recording
from spec.client.bookkeeping.writers import Begun
from spec.events import Ack, Deliver

NOBODY: Final = -1
"""Instead of a recorder: the record is of no append that anybody saw begin."""

AFTER: Final = ("after", "perhaps_after")
"""What the client of an append knew when it began."""

UNKNOWN: Final[Event] = dict.fromkeys(("invoker", "version", "invoked_at_ns", *AFTER))
"""What is said of an append of which nobody knows which it is."""


class Payloads:
    """The appends of which nobody was told that they are anywhere.

    Args:
        unsettled: these appends, with their logs.
        early: the deliveries that came before their append began, by recorder and place.
    """

    def __init__(
        self, unsettled: Iterable[tuple[int, Begun]], recording: Recording, early: Collection[Place] = ()
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

    def _append_of(self, digest: object, acks: Sequence[Event], given: Sequence[Event]) -> Event:
        """What is known of the append of a record, as an acknowledgement would say it."""
        for ack in acks:
            if ack.get("digest") == digest:
                return UNKNOWN if ack["arg_b"] is None else {name: ack.get(name) for name in UNKNOWN}
        if not self.recording.appends:
            return UNKNOWN
        begun = None if acks else self._fitting(given)
        if begun is None and self._may_be_unnamed(acks, given[0]["log"]):
            return UNKNOWN
        if begun is None:
            return {"invoker": NOBODY, "version": None, "invoked_at_ns": None, **dict.fromkeys(AFTER, NOTHING)}
        invoker = self.recording.recorders[begun.recorder]
        known = {"invoked_at_ns": begun.time, "after": begun.after, "perhaps_after": begun.perhaps_after}
        return {"invoker": invoker, "version": begun.seq, **known}

    def _may_be_unnamed(self, acks: Sequence[Event], log: int) -> bool:
        """The record may be of an append whose payload nobody recorded."""
        return any(ack.get("digest") is None for ack in acks) or bool(not acks and self.free.get((log, None)))

    def _fitting(self, given: Sequence[Event]) -> Begun | None:
        """The append that fits best, which is free no longer; one that does not fit, where none does."""
        log, digest = given[0]["log"], given[0]["digest"]
        free, lsn = self.free.get((log, digest), []), self.recording.lsn(given[0])

        def fits(begun: Begun) -> tuple[int, int, int]:
            seen = [self.began_before(event, self._place(begun), begun.seq, begun.time) for event in given]
            order = 2 if begun.perhaps_after < lsn else 1 if begun.after < lsn else 0
            time = 2 if all(seen) else 0 if 0 in seen else 1
            return min(order, time), -1 if begun.time is None else begun.time, begun.seq

        best = max(free, key=fits, default=None)
        if best is not None:
            free.remove(best)
        return best

    def _told(self, event: Event, append: Event) -> Event:
        invoker, seq, time = append["invoker"], append["version"], append["invoked_at_ns"]
        if invoker is None:
            return event | append | {"arg_b": 1 if self.recording.appends else None}
        before = 1 if invoker == NOBODY else self.began_before(event, invoker, seq, time)
        return event | append | {"arg_b": before}

    def began_before(self, event: Event, invoker: int | None, seq: int | None, time: int | None) -> int | None:
        """0 if an append began after an event, None if clocks leave it open; 1 if nothing shows that it did."""
        own, now = event["seq"], event.get("time_ns")
        if (event["recorder"], own) in self.early:
            return 0
        if self.recording.recorders[str(event["recorder"])] == invoker:
            return int(seq is None or seq < own)
        if time is None or now is None or time <= now:
            return 1
        return 0 if self.recording.surely_before(now, time) else None

    def _place(self, begun: Begun) -> int:
        return self.recording.recorders[begun.recorder]
