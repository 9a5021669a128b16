"""Books: one pass over clients' events in their recorders' order, and one over all events in the order of LSNs."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from spec.client.bookkeeping.causes import Named, Spot, given_too_early
from spec.client.bookkeeping.fields import FAULT, INVOKED, REASON, WHO
from spec.client.bookkeeping.knowledge import Begin, Given, Heard, Hearsay, Knowledge, Spoken, heard
from spec.client.bookkeeping.payloads import Payloads
from spec.client.bookkeeping.readers import Reader, of_moved_reader, passed, passed_in_silence
from spec.client.bookkeeping.recording import UPTO, Recording
from spec.client.bookkeeping.writers import Begun, Writer, named_by, of_moved_client
from spec.events import (
    NOT_TRIMMED,
    PERHAPS_TRIMMED,
    TRIM,
    WIPE,
    Ack,
    AtEnd,
    Deliver,
    Fault,
    Gap,
    Indefinite,
    Invoke,
    Read,
    Refused,
    Scattered,
    ScatteredReader,
    Trim,
)
from spec.language.bookkeeping import BOOKS, Event, Seen
from spec.language.bookkeeping import Books as AnyBooks
from spec.log.agreeing import with_agreement
from spec.log.holding import Wipe, with_holders
from spec.log.own_order import STEPS, TURNS, scattered

WRITING: Final = frozenset({Invoke.kind, Ack.kind, Refused.kind, Indefinite.kind})
ANSWERS: Final = WRITING - {Invoke.kind}
READING: Final = frozenset({Read.kind, Deliver.kind, Gap.kind, AtEnd.kind})
TOLD: Final = WRITING | READING | {Trim.kind, Fault.kind}
"""The kinds of event of which books are kept."""

CERTAIN: Final = frozenset({Ack.kind, Refused.kind})
"""The kinds by which a client is told for certain what became of its append."""

CAUSES: Final = frozenset({Invoke.kind, Deliver.kind})
"""The kinds by which one client hears of what another did: an append begins, and its record is given."""


class Books(AnyBooks):
    """Books of the clients of one trace.

    First ``look`` at every event of the kinds of ``TOLD``, in any order; then ``note`` each, in its recorder's order,
    and take those that ``waited``; last go through all events in the order of log and LSN, ``at_place`` after place.

    In memory: appends under way and appends without a known outcome, all events of clients and readers that went on
    under another recorder, or whose answers name some of their appends only, all trims, when disks were lost, and every
    begin of an append, every acknowledgement and every record that was given, where the order of all appends is
    promised, a client must wait as said, or a reader was told that it is at the end.
    """

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.seen: dict[tuple[str, object, object], object] = {}
        self.names: dict[tuple[str, object, object], bool] = {}
        self.moved: dict[tuple[str, Any, Any], list[Event]] = {}
        self.ends: list[Event] = []
        self.questions: dict[object, list[tuple[int, int | None]]] = {}
        self.sees: dict[object, set[object]] = defaultdict(set)
        self.spots: list[Spot] = []
        self.named: dict[object, Named] = defaultdict(Named)
        self.latest: dict[object, int] = {}
        self.trims: dict[object, list[Event]] = defaultdict(list)
        self.writers: dict[tuple[Any, Any], Writer] = {}
        self.readers: dict[tuple[object, object], Reader] = {}
        self.unsettled: list[tuple[Any, Begun]] = []
        self.heard: dict[object, list[Heard]] = defaultdict(list)
        self.spoken: dict[object, Spoken] = defaultdict(lambda: Spoken(defaultdict(list), [], Named()))
        self.known: dict[object, Knowledge] = {}
        self.added = 0
        self.wipes = set[Wipe]()

    def look(self, event: Event) -> None:
        """Learn who goes on under another recorder, who asks for the end of a log, and what is trimmed.

        Who names some of its appends only must wait as well: an answer that names none is not about those.
        """
        if event["kind"] == Fault.kind:
            self.wipes |= {(event["node"], event["time_ns"])} if event[FAULT] == WIPE else set()
            return
        if event["kind"] == Trim.kind:
            self.trims[event["log"]].append(event)
            return
        if event["kind"] == AtEnd.kind:
            self.questions[event["recorder"]] = []
        if event["kind"] in CAUSES:
            self.sees[event["recorder"]].add(event["kind"])
        if self.recording.real_time:
            self._look_at_order(event)
        who = self._who(event)
        if self.seen.setdefault(who, event["recorder"]) != event["recorder"]:
            self.moved.setdefault(who, [])
        is_named = event["kind"] in ANSWERS and named_by(event) is not None
        if event["kind"] in ANSWERS and self.names.setdefault(who, is_named) != is_named:
            self.moved.setdefault(who, [])

    def _look_at_order(self, event: Event) -> None:
        """Learn what tells in which order clients appended."""
        log, digest = event["log"], event.get("digest")
        seen_at = event["recorder"], event["seq"], event.get("time_ns")
        if event["kind"] == Ack.kind:
            self.heard[log].append(heard(event, self.recording))
        if event["kind"] in CERTAIN:
            self.spoken[log].named.note(event, self.recording)
        elif event["kind"] == Invoke.kind:
            self.spoken[log].begins[digest].append(Begin(*seen_at))
        elif event["kind"] == Deliver.kind and digest is not None and self.recording.appends:
            self.spoken[log].given.append(Given(*seen_at, digest, self.recording.lsn(event)))

    def note(self, event: Event) -> Event | None:
        """The event with what is known of it; None if it must wait until all are known."""
        if event["kind"] in (Trim.kind, Fault.kind):
            return event
        event = self._in_time(event)
        if (self.questions or self.moved) and not self.recording.real_time:
            self._look_at_order(event)
        self._look_at_causes(event)
        who = self._who(event)
        if event["kind"] == AtEnd.kind:
            self.ends.append(event)
            return None
        if who in self.moved:
            self.moved[who].append(event)
            return None
        _, log, actor = who
        if event["kind"] in WRITING:
            if (log, actor) not in self.writers:
                known = self._knowledge(log) if self.recording.real_time else None
                self.writers[log, actor] = Writer(self.recording, known)
            return self.writers[log, actor].note(event)
        return self.readers.setdefault((log, actor), Reader(self.recording)).note(event)

    def _in_time(self, event: Event) -> Event:
        """The event; an append that began without a time is no earlier than what its recorder's clock said last."""
        recorder, time = event["recorder"], event.get("time_ns")
        latest = self.latest.get(recorder) if time is None else time
        if latest is not None:
            self.latest[recorder] = latest
        if recorder in self.questions:
            self.questions[recorder].append((event["seq"], latest))
        return event | {"not_before_ns": latest} if time is None and event["kind"] == Invoke.kind else event

    @cached_property
    def _mixed(self) -> frozenset[object]:
        """The recorders that see both what begins and what is given; asked when all were looked at."""
        return frozenset(recorder for recorder, kinds in self.sees.items() if kinds == CAUSES)

    def _look_at_causes(self, event: Event) -> None:
        """Learn what tells that a record was given before its append began."""
        kind, digest, recorder = event["kind"], event.get("digest"), event["recorder"]
        is_given = kind == Deliver.kind and digest is not None and recorder in self._mixed and self.recording.appends
        if len(self._mixed) > 1 and (kind == Invoke.kind or is_given):
            lsn = self.recording.lsn(event) if kind == Deliver.kind else None
            self.spots.append(Spot(recorder, event["seq"], kind == Invoke.kind, event["log"], digest, lsn))
        if len(self._mixed) > 1 and kind in CERTAIN:
            self.named[event["log"]].note(event, self.recording)

    def concluded(self, events: Iterable[Event]) -> Iterator[Event]:
        """What readers passed over for no reason that counts, in what was noted or waited: events of ``BOOKS``."""
        for event in events:
            if event["kind"] not in (Deliver.kind, Gap.kind):
                continue
            untrimmed = self.untrimmed(event) if event["kind"] == Gap.kind and event[REASON] == TRIM else ()
            for found in (passed_in_silence(event, self.recording), *untrimmed):
                if found is not None:
                    self.added += 1
                    yield {"recorder": BOOKS, "seq": self.added, **found}

    def unordered(self, *seen: Seen) -> Iterator[Event]:
        """Of which nodes and readers nobody knows the own order: events of ``BOOKS``.

        Args:
            seen: who recorded a step of which node; and what was asked by, or told to, which reader, named by its log
                and its number.
        """
        steps, turns = seen
        nodes = [{"kind": Scattered.kind, "node": node} for (node,) in scattered(steps)]
        readers = [{"kind": ScatteredReader.kind, "log": log, WHO: reader} for log, reader in scattered(turns)]
        for whose in (*nodes, *readers):
            self.added += 1
            yield {"recorder": BOOKS, "seq": self.added, "time_ns": None, **whose}

    def waited(self) -> Iterator[Event]:
        """The events that had to wait."""
        for (role, log, _), events in self.moved.items():
            if role == "reader":
                yield from of_moved_reader(events, self.recording)
            else:
                noted, unsettled = of_moved_client(events, self.recording, self._knowledge_of_moved(log, events))
                self.unsettled += [(log, begun) for begun in unsettled]
                yield from noted
        yield from (end | self._known_at(end) for end in self.ends)
        self.moved.clear()
        self.ends.clear()

    @cached_property
    def payloads(self) -> Payloads:
        """What tells which append a delivery is of; when all events were noted, and those that waited were taken."""
        for (log, _), writer in self.writers.items():
            self.unsettled += [(log, begun) for begun in (*writer.unsettled.values(), *writer.open.values())]
        self.writers.clear()
        return Payloads(self.unsettled, self.recording, given_too_early(self.spots, self.named))

    def at_place(self, events: Sequence[Event]) -> list[Event]:
        """The events at one LSN, with what they say together."""
        return with_agreement(with_holders(self.payloads.of_lsn(events), self.recording.clock_bound_ns, self.wipes))

    def _who(self, event: Event) -> tuple[str, Any, Any]:
        return "writer" if event["kind"] in WRITING else "reader", event["log"], event[WHO]

    def _knowledge(self, log: object) -> Knowledge:
        """What anybody was told."""
        if log not in self.known:
            self.known[log] = Hearsay(self.heard[log], self.recording.clock_bound_ns, self.spoken[log])
        return self.known[log]

    def _knowledge_of_moved(self, log: object, events: Iterable[Event]) -> Knowledge:
        """What binds the order of one client's appends: what it was told, or anybody, as promised."""
        if self.recording.real_time:
            return self._knowledge(log)
        acks = (heard(event, self.recording) for event in events if event["kind"] == Ack.kind)
        return Hearsay(acks, self.recording.clock_bound_ns, self.spoken[log])

    def _known_at(self, end: Event) -> Event:
        """What was acknowledged before a reader asked for the end; where it does not say when, it asked at once."""
        asked, time = end.get(INVOKED), end.get("invoked_at_ns")
        place = end["seq"] if asked is None and time is None else asked
        if place is not None and time is None:
            time = self._time_at(end["recorder"], place)
        sure, told = self._knowledge(end["log"]).before(end["recorder"], place, time)
        return {"after": sure, "perhaps_after": told}

    def _time_at(self, recorder: object, seq: int) -> int | None:
        """The latest time that a recorder had seen at a place in its order."""
        seen = self.questions[recorder]
        place = bisect_right(seen, seq, key=itemgetter(0))
        return seen[place - 1][1] if place else None

    def untrimmed(self, gap: Event) -> Iterator[Event | None]:
        """What of a gap over trimmed records was not trimmed, and what may not have been."""
        lsn, upto = self.recording.lsn(gap), self.recording.lsn(gap, UPTO)
        trimmed, perhaps = self._trimmed_before(gap), upto
        if self.recording.trims:
            perhaps = max(trimmed, min(upto, self._perhaps_trimmed_before(gap)))
        yield passed(gap, max(lsn, trimmed + 1), perhaps, PERHAPS_TRIMMED, self.recording)
        yield passed(gap, max(lsn, perhaps + 1), upto, NOT_TRIMMED, self.recording)

    def _trimmed_before(self, gap: Event) -> int:
        """How far a log was to be trimmed before a gap was told, if clocks are right as they stand."""
        return max((self.recording.lsn(trim) for trim in self.trims[gap["log"]] if _came_first(trim, gap)), default=-1)

    def _perhaps_trimmed_before(self, gap: Event) -> int:
        """The same, if clocks differ as far as they may."""
        trims = (
            self.recording.lsn(trim)
            for trim in self.trims[gap["log"]]
            if trim["recorder"] != gap["recorder"]
            and not self.recording.surely_before(gap.get("time_ns"), trim.get("time_ns"))
        )
        return max(trims, default=-1)


def _came_first(one: Event, other: Event) -> bool:
    """Whether nothing shows that an event came after another: by one recorder's order, or by clocks as they stand."""
    if one["recorder"] == other["recorder"]:
        return bool(one["seq"] < other["seq"])
    time, then = one.get("time_ns"), other.get("time_ns")
    return time is None or then is None or time <= then


def kept(events: Iterable[Mapping[str, Any]], recording: Recording) -> list[Event]:
    """All events of a trace that fits into memory, with what their clients' books say, in trace order."""
    rows = [dict(event) for event in events if event["recorder"] != BOOKS]
    told = sorted((row for row in rows if row["kind"] in TOLD), key=lambda row: (row["recorder"], row["seq"]))
    books = Books(recording)
    for event in told:
        books.look(event)
    noted = [one for event in told if (one := books.note(event)) is not None]
    noted += books.waited()
    steps = (((row["node"],), row["recorder"]) for row in rows if row["kind"] in STEPS)
    turns = (((row["log"], row[WHO]), row["recorder"]) for row in rows if row["kind"] in TURNS)
    noted += [
        *books.concluded(noted),
        *books.unordered(steps, turns),
        *(row for row in rows if row["kind"] not in TOLD),
    ]
    noted.sort(key=_place)
    groups = groupby(noted, key=lambda event: _place(event)[:3])
    return [event for _, group in groups for event in books.at_place([*group])]


def _place(event: Event) -> tuple[int, ...]:
    """Where an event stands in trace order."""
    return tuple(event.get(name) or 0 for name in ("log", "epoch", "esn", "seq"))
