"""Histories as traces in JSON lines, and back.

``docs/how-to/judge-your-own-log.md`` justifies the form; ``at_end`` and the promise ``real_time_order`` are what
``spec.client.definition`` adds to it. A trace tells less than a history where a writer goes on under another recorder:
an end then names its append by writer and payload only.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, Final

from spec.client.history import (
    INDEFINITE,
    PENDING,
    REFUSED,
    Acknowledged,
    Append,
    AtEnd,
    Gap,
    Given,
    History,
    Moment,
    Outcome,
    Read,
    Step,
    Trim,
)
from spec.client.precedence import Order, known_order, seen_order
from spec.events import GAP_KINDS

Event = dict[str, Any]
Span = tuple[Moment, Moment | None]
"""From when to when something went on; None if it never ended."""

CLIENT_KINDS: Final = ("invoke", "ack", "fail", "indefinite", "read", "deliver", "gap", "at_end")
ENDS: Final = {"fail": REFUSED, "indefinite": INDEFINITE}
ESN_BITS: Final = 32


class CannotTell(Exception):
    """A trace does not say to which append or read an event belongs, or has events that are no client's."""


def to_trace(history: History) -> tuple[Event, list[Event]]:
    """The header and the events of a history, in an order that keeps to what is known of it."""
    numbers = known_order(history)
    before = {moment: sum(after >> number & 1 for after in numbers.after) for moment, number in numbers.numbers.items()}
    told = [*_of_appends(history), *_of_reads(history), *_of_trims(history)]
    told.sort(key=lambda one: before[one[0]])
    events = [event for _, event in told]
    return _header(history, events), _with_numbers_of_their_own(events)


def _header(history: History, events: Sequence[Event]) -> Event:
    kinds = dict.fromkeys((*CLIENT_KINDS, *([] if history.trims is None else ["trim"])), "complete")
    names = sorted({event["recorder"] for event in events} | {"clients"})
    return {
        "quorate_trace": "1.0",
        "end_line": True,
        "system": {"name": "history", "version": "1"},
        "nodes": [{"name": "a"}, {"name": "b"}, {"name": "c"}],
        "logs": {"0": "orders"},
        "recorders": {name: {"role": "client", "records": kinds} for name in names},
        "clock_bound_ns": history.clock_bound_ns,
        "promises": {"real_time_order": True} if history.real_time_order else {},
    }


def _with_numbers_of_their_own(events: Sequence[Event]) -> list[Event]:
    """Further acknowledgements of one append, which have no moment of their own, come last."""
    seen: dict[tuple[str, int], int] = {}
    numbered: list[Event] = []
    for event in events:
        recorder, seq = event["recorder"], event["seq"]
        if (recorder, seq) in seen:
            seq = max(event["seq"] for event in [*events, *numbered] if event["recorder"] == recorder) + 1
        seen[recorder, seq] = 1
        numbered.append(event | {"seq": seq})
    return numbered


def _event(kind: str, at: Moment, **fields: Any) -> Event:
    time = {} if at.time is None else {"time_ns": at.time}
    return {"kind": kind, "recorder": at.recorder, "seq": at.seq, **time, "log": 0, **fields}


def _lsn(lsn: int) -> Event:
    return {"epoch": 1, "esn": lsn}


def _upto(lsn: int) -> Event:
    return {"upto_epoch": 1, "upto_esn": lsn}


def _of_appends(history: History) -> Iterator[tuple[Moment, Event]]:
    for append in history.appends:
        named = {"writer": append.writer, "digest": append.payload}
        yield append.began, _event("invoke", append.began, **named)
        end = append.ended
        if end is None:
            continue
        invoked = {"invoked": append.began.seq} if append.began.recorder == end.recorder else {}
        if isinstance(append.outcome, Acknowledged):
            for lsn in append.outcome.lsns:
                yield end, _event("ack", end, **_lsn(lsn), **named, **invoked)
            if append.outcome.refused:
                yield end, _event("fail", end, **named, **invoked)
        else:
            yield end, _event("fail" if append.outcome is REFUSED else "indefinite", end, **named, **invoked)


def _of_reads(history: History) -> Iterator[tuple[Moment, Event]]:
    for read in history.reads:
        by = {"reader": read.reader}
        yield read.began, _event("read", read.began, **_lsn(read.start), **by, **_upto(read.start - 1))
        for step in read.steps:
            match step:
                case Given(at, lsn, payload):
                    yield at, _event("deliver", at, **_lsn(lsn), **by, **_upto(lsn), digest=payload)
                case Gap(at, lsn, upto, reason):
                    yield at, _event("gap", at, **_lsn(lsn), **by, **_upto(upto), reason=reason)
                case AtEnd(at, lsn):
                    yield at, _event("at_end", at, **_lsn(lsn), **by, **_asked(step))


def _asked(end: AtEnd) -> Event:
    if end.asked.recorder != end.at.recorder:
        return {}
    time = {} if end.asked.time is None else {"invoked_at_ns": end.asked.time}
    return {"invoked": end.asked.seq, **time}


def _of_trims(history: History) -> Iterator[tuple[Moment, Event]]:
    for trim in history.trims or ():
        yield trim.asked, _event("trim", trim.asked, **_lsn(trim.upto))


def is_clear(history: History) -> bool:
    """Whether a trace tells a history from every other, by what recorders and clocks say of its order.

    An acknowledgement names its invocation if one recorder saw both. Any other end names the writer and the payload,
    and each step its reader: they are clear where appends that look alike, and reads of one reader, do not overlap.
    The steps of a reader that goes on under another recorder are clear where clocks tell their order. An append that
    ended, by its clocks, before it began is not.
    """
    order = seen_order(history, history.clock_bound_ns)
    spans: dict[tuple[int, ...], list[Span]] = {}
    for append in history.appends:
        is_linked = append.ended is not None and append.ended.recorder == append.began.recorder
        if not is_linked:
            spans.setdefault((append.writer, append.payload), []).append((append.began, append.ended))
            if _seems_to_end_first(append) or _is_told_more(append.outcome):
                return False
    for read in history.reads:
        own = [read.began, *(step.at for step in read.steps)]
        spans.setdefault((read.reader,), []).append((own[0], own[-1]))
        if not all(map(order.has, pairwise(own))) or any(not _asked(end) for end in read.at_ends):
            return False
    return not any(_overlap(order, *pair) for alike in spans.values() for pair in combinations(alike, 2))


def _is_told_more(outcome: Outcome) -> bool:
    return isinstance(outcome, Acknowledged) and (bool(outcome.also) or outcome.refused)


def _seems_to_end_first(append: Append) -> bool:
    if append.ended is None or append.ended.time is None or append.began.time is None:
        return False
    return append.ended.time < append.began.time


def _overlap(order: Order, one: Span, other: Span) -> bool:
    (began, ended), (begun, end) = one, other
    return not ((ended is not None and order.has((ended, begun))) or (end is not None and order.has((end, began))))


def heard_twice(events: Iterable[Event]) -> Iterator[Event]:
    """The events, where each answer that names its append is heard twice."""
    for event in events:
        invoked = {"invoked": 2 * event["invoked"]} if "invoked" in event else {}
        told = event | {"seq": 2 * event["seq"]} | invoked
        yield told
        if invoked and event["kind"] in ("ack", *ENDS):
            yield told | {"seq": told["seq"] + 1}


def write_trace(path: Path, history: History) -> Path:
    """Write a history as a file of JSON lines that says its end."""
    header, events = to_trace(history)
    lines = [header, *events, {"quorate_end": len(events)}]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return path


def from_trace(path: Path) -> History | None:
    """The history that a file of JSON lines tells; None if it has events of others than clients, or is not clear."""
    header, *lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return from_events(header, [line for line in lines if "kind" in line])


def from_events(header: Mapping[str, Any], events: Iterable[Event]) -> History | None:
    """The history that a header and its events tell; None as for ``from_trace``.

    Events of one reader or writer stand in its order.
    """
    told = list(events)
    found = _Found({(one["recorder"], one["invoked"]) for one in told if "invoked" in one})
    try:
        for event in told:
            found.take(event)
    except CannotTell:
        return None
    recorders = header["recorders"].values()
    is_trim_recorded = any(recorder["records"].get("trim") == "complete" for recorder in recorders)
    return History(
        tuple(found.appends),
        tuple(found.reads),
        tuple(found.trims) if is_trim_recorded else None,
        header["clock_bound_ns"],
        bool(header.get("promises", {}).get("real_time_order", False)),
    )


@dataclass
class _Found:
    """What has been read of a trace; ``linked`` are the recorder and place of each invocation that an end names."""

    linked: set[tuple[str, int]]
    appends: list[Append] = field(default_factory=list)
    reads: list[Read] = field(default_factory=list)
    trims: list[Trim] = field(default_factory=list)
    times: dict[tuple[str, int], int | None] = field(default_factory=dict)

    def take(self, event: Event) -> None:
        """Read one more event.

        Raises:
            CannotTell: it is no client's event, or it is not clear to what it belongs.
        """
        takers: dict[str, Callable[[Event, Moment], None]] = {
            **dict.fromkeys(("ack", *ENDS), self._end),
            **dict.fromkeys(("deliver", "gap", "at_end"), self._step),
            "invoke": self._begin,
            "read": self._read,
            "trim": self._trim,
        }
        if event["kind"] not in takers:
            raise CannotTell(f"{event['kind']} is no event of a client")
        self.times[event["recorder"], event["seq"]] = event.get("time_ns")
        takers[event["kind"]](event, Moment(event["recorder"], event["seq"], event.get("time_ns")))

    def _begin(self, event: Event, at: Moment) -> None:
        self.appends.append(Append(event["writer"], event["digest"], at, None, PENDING))

    def _end(self, event: Event, at: Moment) -> None:
        number = self._named(event)
        append = self.appends[number]
        ended = append.ended if _is_answer(append.outcome) else at
        outcome = _both(append.outcome, ENDS.get(event["kind"]) or Acknowledged(_number(event)))
        self.appends[number] = replace(append, ended=ended, outcome=outcome)

    def _named(self, event: Event) -> int:
        """Which append an end speaks of."""
        named = [
            number
            for number, append in enumerate(self.appends)
            if (append.writer, append.payload) == (event["writer"], event.get("digest", append.payload))
            and self._is_meant(event, append)
        ]
        if len(named) != 1:
            raise CannotTell(f"{event['kind']} may belong to {len(named)} appends")
        return named[0]

    def _is_meant(self, event: Event, append: Append) -> bool:
        place = (append.began.recorder, append.began.seq)
        if "invoked" in event:
            return place == (event["recorder"], event["invoked"])
        return append.ended is None and place not in self.linked

    def _read(self, event: Event, at: Moment) -> None:
        self.reads.append(Read(event["reader"], _number(event), at, ()))

    def _step(self, event: Event, at: Moment) -> None:
        numbers = [number for number, read in enumerate(self.reads) if read.reader == event["reader"]]
        if not numbers:
            raise CannotTell("a reader was given something before it began")
        read = self.reads[numbers[-1]]
        self.reads[numbers[-1]] = replace(read, steps=(*read.steps, self._stepped(event, at)))

    def _stepped(self, event: Event, at: Moment) -> Step:
        lsn = _number(event)
        if event["kind"] == "deliver":
            return Given(at, lsn, event["digest"])
        if event["kind"] == "at_end":
            return AtEnd(at, lsn, self._asked_at(event))
        if event["reason"] not in GAP_KINDS.values():
            raise CannotTell(f"there is no gap of reason {event['reason']}")
        return Gap(at, lsn, _number(event, "upto_"), event["reason"])

    def _asked_at(self, event: Event) -> Moment:
        """When a reader asked; if that was not recorded, a moment of which only the answer is known to be later."""
        if "invoked" not in event:
            return Moment(f"asked before {event['seq']} of {event['recorder']}", 0)
        place = event["recorder"], event["invoked"]
        return Moment(*place, event.get("invoked_at_ns", self.times.get(place)))

    def _trim(self, event: Event, at: Moment) -> None:
        self.trims.append(Trim(_number(event), at))


def _is_answer(outcome: Outcome) -> bool:
    return isinstance(outcome, Acknowledged) or outcome is REFUSED


def _both(before: Outcome, now: Outcome) -> Outcome:
    """What a client was told of its append, if it was told two things of it."""
    if isinstance(before, Acknowledged):
        also = (*before.also, now.lsn) if isinstance(now, Acknowledged) else before.also
        return replace(before, also=also, refused=before.refused or now is REFUSED)
    return replace(now, refused=before is REFUSED) if isinstance(now, Acknowledged) else now


def _number(event: Event, prefix: str = "") -> int:
    epoch, esn = int(event[f"{prefix}epoch"]), int(event[f"{prefix}esn"])
    return esn if epoch == 1 else (epoch - 1 << ESN_BITS) + esn
