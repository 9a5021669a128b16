"""Writers: which append an answer is about, and what its client knew when the append began."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from spec.client.bookkeeping.fields import BEGUN_BEFORE, INVOKED, REPEATED
from spec.client.bookkeeping.knowledge import NOTHING, Knowledge
from spec.client.bookkeeping.recording import RecorderPosition, Recording, by_clock
from spec.events import Ack, Indefinite, Invoke, Refused
from spec.language.bookkeeping import Event

REMEMBERED: Final = 1000
"""Of so many appends of a client it is known that they began, once they were answered: an answer may come again."""


NEVER, BEFORE, FIRST_OF_SOME, ONE_OF_SOME = range(4)
"""Whether the append of an acknowledgement began: never; before; it did, but may be another one that began later; or
one that began earlier."""


@dataclass(frozen=True)
class Begun:
    """An append that began.

    Attributes:
        recorder: who saw it begin.
        seq: when, in the recorder's own order.
        time: when, by its clock, in nanoseconds.
        digest: the hash of its payload.
        after: the greatest LSN that its client knew to be acknowledged.
        perhaps_after: the same, if clocks are right as they stand.
        others: where it may have begun instead: the first by each recorder of those that nobody can tell from it.
    """

    recorder: str
    seq: int
    time: int | None
    digest: int | None
    after: int
    perhaps_after: int
    others: tuple[RecorderPosition, ...] = ()

    @property
    def place(self) -> RecorderPosition:
        """Where it began."""
        return self.recorder, self.seq


@dataclass
class Writer:
    """One client's appends to one log, in the order in which they were recorded.

    Attributes:
        knowledge: what counts as known instead of what this client was told so far; None: nothing does.
        named: the appends that some answer names; no answer that names none is about them.
        moved: it goes on under another recorder, so answers that name no append are looked at when all are known.
        highest: the greatest LSN that was acknowledged so far.
        open: the appends without an answer, by where they began.
        unsettled: the appends whose outcome their client was told to be unknown, likewise.
        unmatched: answers to appends that began elsewhere.
        refused: the appends that were refused, likewise.
        latest: where the latest appends began, whatever became of them.
    """

    recording: Recording
    knowledge: Knowledge | None = None
    named: frozenset[RecorderPosition] = frozenset()
    moved: bool = False
    highest: int = NOTHING
    open: dict[RecorderPosition, Begun] = field(default_factory=dict)
    unsettled: dict[RecorderPosition, Begun] = field(default_factory=dict)
    unmatched: list[Event] = field(default_factory=list)
    refused: set[RecorderPosition] = field(default_factory=set)
    latest: deque[RecorderPosition] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    _by_digest: defaultdict[int | None, dict[RecorderPosition, Begun]] = field(
        default_factory=lambda: defaultdict(dict)
    )

    def note(self, event: Event) -> Event:
        """The event with what is known of its append."""
        if event["kind"] == Invoke.kind:
            return event | self._name(self._begin(event))
        begun = self._answered(event)
        if event["kind"] == Ack.kind:
            self.highest = max(self.highest, self.recording.lsn(event))
        if begun is not None and (self.recording.appends or named_by(event) is not None):
            return self.with_append(event, begun)
        if named_by(event) is None:
            self.unmatched.append(event)
        return event | self._unknown(event)

    def with_append(self, answer: Event, begun: Begun) -> Event:
        """An answer with what is known of its append."""
        if answer["kind"] == Indefinite.kind:
            self.unsettled[begun.place] = begun
        if answer["kind"] != Ack.kind:
            repeated = self._repeated(None if begun.others else begun.place) if answer["kind"] == Refused.kind else {}
            return answer | ({"invoker": None, INVOKED: None} if begun.others else self._name(begun)) | repeated
        lsn = self.recording.lsn(answer)
        known = {"after": begun.after, "perhaps_after": begun.perhaps_after}
        others = {name: NOTHING if value == lsn else value for name, value in known.items()}
        before = FIRST_OF_SOME if set(begun.others) == {begun.place} else ONE_OF_SOME if begun.others else BEFORE
        before = NEVER if _differ(begun.digest, answer.get("digest")) else before
        return answer | self._name(begun) | others | {"invoked_at_ns": begun.time, BEGUN_BEFORE: before}

    def fitting(self, answer: Event) -> list[Begun]:
        """The appends without an answer that an answer may be about: of its payload, and not begun after it."""
        digest = answer.get("digest")
        payloads = [*self._by_digest] if digest is None else [digest, None]
        begun = (one for payload in payloads for one in self._by_digest.get(payload, {}).values())
        return [one for one in begun if self._may_be_of(answer, one)]

    def one_of(self, fitting: Sequence[Begun]) -> Begun | None:
        """The first of the appends that an answer may be about, which is open no longer; nobody can tell them apart."""
        same = alike(fitting)
        for one in same:
            self._close(one.place)
            self._open(one)
        return self._close(_first(same).place) if same else None

    def _may_be_of(self, answer: Event, begun: Begun) -> bool:
        if begun.place in self.named:
            return False
        if begun.recorder == answer["recorder"]:
            return begun.seq < int(answer["seq"])
        return not self.recording.surely_before(answer.get("time_ns"), begun.time)

    def _begin(self, event: Event) -> Begun:
        recorder, seq, time = event["recorder"], event["seq"], event.pop("not_before_ns", event.get("time_ns"))
        sure, told = self.knowledge.before(recorder, seq, time) if self.knowledge else (self.highest, self.highest)
        begun = Begun(recorder, seq, time, event.get("digest"), sure, max(sure, told))
        self._open(begun)
        self.latest.append(begun.place)
        return begun

    def _open(self, begun: Begun) -> None:
        self.open[begun.place] = self._by_digest[begun.digest][begun.place] = begun

    def _close(self, place: RecorderPosition) -> Begun | None:
        begun = self.open.pop(place, None)
        if begun is not None:
            del self._by_digest[begun.digest][place]
        return begun

    def _answered(self, event: Event) -> Begun | None:
        """The append that an answer is about: the one that it names, given up or not, or the first that it fits."""
        seq = named_by(event)
        if seq is not None:
            place = event["recorder"], seq
            return self._close(place) or self.unsettled.pop(place, None)
        return None if self.moved else self.one_of(self.fitting(event))

    def _unknown(self, event: Event) -> Event:
        """What is said of an answer to an append that nobody saw begin here, or to one of which others may be meant."""
        here, seq = self.recording.recorders[event["recorder"]], named_by(event)
        if event["kind"] == Refused.kind and seq is not None:
            return {"invoker": here} | self._repeated((event["recorder"], seq))
        if event["kind"] != Ack.kind:
            repeated = {REPEATED: event.get(REPEATED)} if event["kind"] == Refused.kind else {}
            return {name: event.get(name) for name in ("invoker", INVOKED)} | repeated
        after = NOTHING if self.recording.appends else None
        said: Event = {"invoked_at_ns": None, "after": after, "perhaps_after": after, BEGUN_BEFORE: BEFORE}
        if seq is not None:
            return said | {
                "invoker": here,
                BEGUN_BEFORE: NEVER if self._never_began((event["recorder"], seq)) else BEFORE,
            }
        if self.recording.appends:
            return said | {"invoker": None}
        return said | {"invoker": here, INVOKED: event["seq"], BEGUN_BEFORE: ONE_OF_SOME}

    def _never_began(self, place: RecorderPosition) -> bool:
        """Whether no append of this client to this log began there, as far as that is still remembered."""
        recorder, seq = place
        is_recent = len(self.latest) < REMEMBERED or any(one == recorder and at < seq for one, at in self.latest)
        return self.recording.appends and is_recent and place not in self.latest

    def _repeated(self, place: RecorderPosition | None) -> Event:
        """Whether the client had been told before that this append was refused; not, if nobody knows which it is."""
        again = int(place in self.refused)
        if place is not None:
            self.refused.add(place)
        return {REPEATED: again}

    def _name(self, begun: Begun) -> Event:
        return {"invoker": self.recording.recorders[begun.recorder], INVOKED: begun.seq}


def named_by(answer: Event) -> int | None:
    """Where the append began that an answer names, unless books said that: of those that may be meant, or itself."""
    seq: int | None = answer.get(INVOKED)
    is_guess = answer["kind"] == Ack.kind and answer.get(BEGUN_BEFORE) in (FIRST_OF_SOME, ONE_OF_SOME)
    return None if is_guess or seq == answer["seq"] else seq


def of_moved_client(
    events: Sequence[Event], recording: Recording, knowledge: Knowledge
) -> tuple[list[Event], list[Begun]]:
    """The events of a client that went on under another recorder, and its appends without a known outcome."""
    writer = Writer(recording, knowledge, _named(events), moved=True)
    noted = [writer.note(event) for event in by_clock(events)]
    matched: dict[RecorderPosition, Event] = {}
    waiting = [answer for answer in writer.unmatched if named_by(answer) is None]
    while waiting:
        fits = {number: writer.fitting(answer) for number, answer in enumerate(waiting)}
        number = min(fits, key=lambda number: (len(fits[number]), _when(waiting[number])))
        answer = waiting.pop(number)
        if found := writer.one_of(fits[number]):
            matched[answer["recorder"], answer["seq"]] = writer.with_append(answer, found)
    unsettled = [*writer.unsettled.values(), *writer.open.values()]
    return [matched.get((event["recorder"], event["seq"]), event) for event in noted], unsettled


def _named(events: Iterable[Event]) -> frozenset[RecorderPosition]:
    """The appends that an answer names."""
    answers = (event for event in events if event["kind"] != Invoke.kind and named_by(event) is not None)
    return frozenset((event["recorder"], event[INVOKED]) for event in answers)


def alike(begun: Sequence[Begun]) -> list[Begun]:
    """Appends that cannot be told apart, each with what is true of all, and perhaps with what is its own."""
    if len(begun) < 2:  # noqa: PLR2004 - one alone is itself
        return [*begun]
    times, payloads = [one.time for one in begun], {one.digest for one in begun}
    places = sorted({place for one in begun for place in (one.place, *one.others)}, reverse=True)
    said: dict[str, Any] = {
        "time": None if None in times else min(time for time in times if time is not None),
        "digest": payloads.pop() if len(payloads) == 1 else None,
        "after": min(one.after for one in begun),
        "others": tuple(dict(places).items()),
    }
    return [replace(one, **said) for one in begun]


def _first(begun: Sequence[Begun]) -> Begun:
    """The append that began first: by its recorder's order, or by clocks where several saw them begin."""
    by_order = len({one.recorder for one in begun}) == 1
    return min(begun, key=lambda one: (0 if by_order else one.time or 0, one.seq))


def _differ(digest: int | None, other: int | None) -> bool:
    return digest is not None and other is not None and digest != other


def _when(event: Event) -> tuple[int, int]:
    return event.get("time_ns") or 0, event["seq"]
