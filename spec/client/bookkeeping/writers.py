"""Writers: which append an answer is about, and what its client knew when the append began."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from spec.client.bookkeeping.knowledge import NOTHING, Knowledge
from spec.client.bookkeeping.recording import Event, Place, Recording, by_clock
from spec.events import Ack, Indefinite, Invoke, Refused


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
    """

    recorder: str
    seq: int
    time: int | None
    digest: int | None
    after: int
    perhaps_after: int


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
    """

    recording: Recording
    knowledge: Knowledge | None = None
    named: frozenset[Place] = frozenset()
    moved: bool = False
    highest: int = NOTHING
    open: dict[Place, Begun] = field(default_factory=dict)
    unsettled: dict[Place, Begun] = field(default_factory=dict)
    unmatched: list[Event] = field(default_factory=list)
    refused: set[Place] = field(default_factory=set)
    _by_digest: defaultdict[int | None, deque[Place]] = field(default_factory=lambda: defaultdict(deque))

    def note(self, event: Event) -> Event:
        """The event with what is known of its append."""
        if event["kind"] == Invoke.kind:
            return event | self._name(self._begin(event))
        begun = self._answered(event)
        if event["kind"] == Ack.kind:
            self.highest = max(self.highest, self.recording.lsn(event))
        if begun is not None and (self.recording.appends or event.get("version") is not None):
            return self.told(event, begun)
        if event.get("version") is None:
            self.unmatched.append(event)
        return event | self._unknown(event)

    def told(self, answer: Event, begun: Begun) -> Event:
        """An answer with what is known of its append."""
        if answer["kind"] == Indefinite.kind:
            self.unsettled[begun.recorder, begun.seq] = begun
        if answer["kind"] == Refused.kind:
            return answer | self._name(begun) | self._refused((begun.recorder, begun.seq))
        if answer["kind"] != Ack.kind:
            return answer | self._name(begun)
        lsn = self.recording.lsn(answer)
        known = {"after": begun.after, "perhaps_after": begun.perhaps_after}
        others = {name: NOTHING if value == lsn else value for name, value in known.items()}
        return answer | self._name(begun) | others | {"invoked_at_ns": begun.time, "arg_b": 1}

    def fitting(self, answer: Event) -> list[Begun]:
        """The appends without an answer that an answer may be about: those that did not begin after it."""
        return [begun for begun in self.open.values() if self._may_be_of(answer, begun)]

    def _may_be_of(self, answer: Event, begun: Begun) -> bool:
        if begun.digest != answer.get("digest") or (begun.recorder, begun.seq) in self.named:
            return False
        if begun.recorder == answer["recorder"]:
            return begun.seq < int(answer["seq"])
        return not self.recording.surely_before(answer.get("time_ns"), begun.time)

    def _begin(self, event: Event) -> Begun:
        recorder, seq, time = event["recorder"], event["seq"], event.pop("not_before_ns", event.get("time_ns"))
        sure, told = self.knowledge.before(recorder, seq, time) if self.knowledge else (self.highest, self.highest)
        begun = Begun(recorder, seq, time, event.get("digest"), sure, max(sure, told))
        self.open[recorder, seq] = begun
        self._by_digest[begun.digest].append((recorder, seq))
        return begun

    def _answered(self, event: Event) -> Begun | None:
        """The append that an answer is about: the one that it names, given up or not, or the first of its payload.

        Where several of that payload are under way, nobody knows which: of each is said what is true of all.
        """
        seq = event.get("version")
        if seq is not None:
            place = event["recorder"], seq
            return self.open.pop(place, None) or self.unsettled.pop(place, None)
        if self.moved:
            return None
        waiting = self._by_digest[event.get("digest")]
        under_way = [place for place in waiting if place in self.open and place not in self.named]
        self.open |= alike({place: self.open[place] for place in under_way})
        waiting.clear()
        waiting.extend(under_way[1:])
        return self.open.pop(under_way[0]) if under_way else None

    def _unknown(self, event: Event) -> Event:
        """What is said of an answer to an append that nobody saw begin here, or to one of which others may be meant."""
        here, seq = self.recording.recorders[event["recorder"]], event.get("version")
        if event["kind"] == Refused.kind and seq is not None:
            return {"invoker": here} | self._refused((event["recorder"], seq))
        if event["kind"] in (Refused.kind, Indefinite.kind):
            here_told = ("invoker", "version", *(("arg_b",) if event["kind"] == Refused.kind else ()))
            return {name: event.get(name) for name in here_told}
        after = NOTHING if self.recording.appends else None
        said: Event = {"invoked_at_ns": None, "after": after, "perhaps_after": after, "arg_b": 1}
        if seq is not None:
            return said | {"invoker": here}
        if self.recording.appends:
            return said | {"invoker": None}
        return said | {"invoker": here, "version": event["seq"], "arg_b": None}

    def _refused(self, place: Place) -> Event:
        """Whether the client had been told so of this append before."""
        again = int(place in self.refused)
        self.refused.add(place)
        return {"arg_b": again}

    def _name(self, begun: Begun) -> Event:
        return {"invoker": self.recording.recorders[begun.recorder], "version": begun.seq}


def of_moved_client(
    events: Sequence[Event], recording: Recording, knowledge: Knowledge
) -> tuple[list[Event], list[Begun]]:
    """The events of a client that went on under another recorder, and its appends without a known outcome."""
    writer = Writer(recording, knowledge, _named(events), moved=True)
    noted = [writer.note(event) for event in by_clock(events)]
    matched: dict[Place, Event] = {}
    waiting = [answer for answer in writer.unmatched if answer.get("version") is None]
    while waiting:
        fits = {number: writer.fitting(answer) for number, answer in enumerate(waiting)}
        number = min(fits, key=lambda number: (len(fits[number]), _when(waiting[number])))
        answer = waiting.pop(number)
        if found := min(fits[number], key=_began, default=None):
            del writer.open[found.recorder, found.seq]
            matched[answer["recorder"], answer["seq"]] = writer.told(answer, found)
    unsettled = [*writer.unsettled.values(), *writer.open.values()]
    return [matched.get((event["recorder"], event["seq"]), event) for event in noted], unsettled


def _named(events: Iterable[Event]) -> frozenset[Place]:
    """The appends that an answer names."""
    answers = (event for event in events if event["kind"] != Invoke.kind and event.get("version") is not None)
    return frozenset((event["recorder"], event["version"]) for event in answers)


def alike(begun: Mapping[Place, Begun]) -> dict[Place, Begun]:
    """Appends that cannot be told apart, each with what is true of all: the least, and perhaps the most."""
    if len(begun) < 2:  # noqa: PLR2004 - one alone is itself
        return dict(begun)
    times = [one.time for one in begun.values()]
    first = None if None in times else min(time for time in times if time is not None)
    after = min(one.after for one in begun.values())
    perhaps = max(one.perhaps_after for one in begun.values())
    return {place: replace(one, time=first, after=after, perhaps_after=perhaps) for place, one in begun.items()}


def _when(event: Event) -> tuple[int, int]:
    return event.get("time_ns") or 0, event["seq"]


def _began(begun: Begun) -> tuple[int, int]:
    return begun.time or 0, begun.seq
