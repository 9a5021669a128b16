"""Readers: how far a read had come before each of its steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spec.client.bookkeeping.fields import WHO, WHY
from spec.client.bookkeeping.recording import UPTO, Recording, by_clock
from spec.events import IN_SILENCE, AtEnd, Deliver, Gap, Passed, Read
from spec.language.bookkeeping import Event


@dataclass
class Reader:
    """How far one read of one log has come.

    Attributes:
        upto: the last LSN that it has an answer for; None as long as nothing is known of it.
        followed: all that it was answered since it began was recorded by who records all of that.
    """

    recording: Recording
    upto: int | None = None
    followed: bool = True

    def note(self, event: Event) -> Event:
        """The event with the LSN at which it goes on; a new read begins anew."""
        if event["kind"] == AtEnd.kind:
            return event
        upto = self.recording.lsn(event, UPTO)
        is_followed = event["recorder"] in self.recording.followed
        self.followed = is_followed and (self.followed or event["kind"] == Read.kind)
        if event["kind"] == Read.kind:
            self.upto = upto
            return event
        begins = self.recording.lsn(event) if self.upto is None else self.upto + 1
        self.upto = upto if self.upto is None else max(upto, self.upto)
        return event | {"since": begins if self.followed else None}


def of_moved_reader(events: Sequence[Event], recording: Recording) -> list[Event]:
    """The events of a reader that went on under another recorder: by the clock, as far as clocks tell.

    Where they do not, it is not known where the step goes on.
    """
    noted, reader, before = list[Event](), Reader(recording), None
    for event in by_clock(events):
        one = reader.note(event)
        is_step = event["kind"] in (Deliver.kind, Gap.kind)
        if before is not None and before["recorder"] != event["recorder"] and is_step:
            first, then = _time(before), _time(event)
            if not recording.surely_before(first, then):
                one = {**one, "since": None}
        noted.append(one)
        before = event
    return noted


def passed_in_silence(event: Event, recording: Recording) -> Event | None:
    """What a step of a reader passes over without a word; None if it is nothing."""
    since = event.get("since")
    return None if since is None else passed(event, since, recording.lsn(event) - 1, IN_SILENCE, recording)


def passed(event: Event, lsn: int, upto: int, why: int, recording: Recording) -> Event | None:
    """The event that a reader went on beyond LSNs for no reason that counts; None if there are none."""
    if lsn > upto:
        return None
    (epoch, esn), (upto_epoch, upto_esn) = recording.position(lsn), recording.position(upto)
    said = {name: event[name] for name in ("time_ns", "log", WHO)}
    place = {"epoch": epoch, "esn": esn, "upto_epoch": upto_epoch, "upto_esn": upto_esn}
    return {"kind": Passed.kind, **said, **place, WHY: why}


def _time(event: Event) -> int | None:
    time = event.get("time_ns")
    return time if isinstance(time, int) else None
