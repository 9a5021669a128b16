"""Histories as plain clients record them: lines of quorate's own form, of one recorder or of each client alone.

``docs/how-to/import-a-client-history.md`` justifies the form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

from spec.client.history import PENDING, REFUSED, Acknowledged, Append, AtEnd, Given, History, Moment, Read, Step
from spec.client.precedence import known_order

Row = dict[str, Any]


def is_plain(history: History) -> bool:
    """Whether the form has words for all of it: no gaps, no trims, and one answer for each append.

    Who only writes does not say whether anybody read, and a reader reads in one place at a time.
    """
    outcomes = (append.outcome for append in history.appends)
    several = any(isinstance(one, Acknowledged) and (one.also or one.refused) for one in outcomes)
    gaps = any(not isinstance(step, Given | AtEnd) for read in history.reads for step in read.steps)
    readers = [read.reader for read in history.reads]
    whole = history.appends and readers and len(set(readers)) == len(readers)
    return bool(whole) and not (several or gaps) and known_order(history).is_possible


def recorded_by(history: History, recorder_of: Callable[[str], str]) -> History:
    """The same history, in an order that is known, with these recorders; nothing was trimmed."""
    numbers = known_order(history)
    before = {moment: sum(after >> number & 1 for after in numbers.after) for moment, number in numbers.numbers.items()}
    places = {moment: place for place, moment in enumerate(sorted(before, key=lambda moment: before[moment]))}

    def moved(moment: Moment, client: str) -> Moment:
        return Moment(recorder_of(client), places[moment], moment.time)

    def append_moved(append: Append) -> Append:
        client = f"w{append.writer}"
        ended = None if append.ended is None else moved(append.ended, client)
        return replace(append, began=moved(append.began, client), ended=ended)

    def step_moved(step: Step, client: str) -> Step:
        told = replace(step, at=moved(step.at, client))
        return replace(told, asked=moved(told.asked, client)) if isinstance(told, AtEnd) else told

    def read_moved(read: Read) -> Read:
        client = f"r{read.reader}"
        steps = tuple(step_moved(step, client) for step in read.steps)
        return replace(read, began=moved(read.began, client), steps=steps)

    appends, reads = tuple(map(append_moved, history.appends)), tuple(map(read_moved, history.reads))
    return replace(history, appends=appends, reads=reads, trims=None)


def plain_rows(history: History) -> list[Row]:
    """The lines of a history, in the order of its moments."""
    told = [*_of_appends(history), *_of_reads(history)]
    return [row for _, row in sorted(told, key=lambda one: one[0])]


def _of_appends(history: History) -> Iterator[tuple[int, Row]]:
    for number, append in enumerate(history.appends):
        own = {"client": f"w{append.writer}", "value": append.payload, "id": number}
        yield append.began.seq, {"op": "invoke", **own, **_time(append.began)}
        if append.ended is None:
            assert append.outcome is PENDING
        elif isinstance(append.outcome, Acknowledged):
            ok = {"outcome": "ok", "offset": append.outcome.lsn}
            yield append.ended.seq, {"op": "append", **own, **ok, **_time(append.ended)}
        else:
            outcome = "failed" if append.outcome is REFUSED else "unknown"
            yield append.ended.seq, {"op": "append", **own, "outcome": outcome, **_time(append.ended)}


def _of_reads(history: History) -> Iterator[tuple[int, Row]]:
    for read in history.reads:
        client = {"client": f"r{read.reader}"}
        yield read.began.seq, {"op": "seek", **client, "offset": read.start, **_time(read.began)}
        for step in read.steps:
            if isinstance(step, AtEnd):
                yield step.asked.seq, {"op": "ask", **client, **_time(step.asked)}
                yield step.at.seq, {"op": "end", **client, "offset": step.lsn, **_time(step.at)}
            elif isinstance(step, Given):
                given = {"offset": step.lsn, "value": step.payload}
                yield step.at.seq, {"op": "read", **client, **given, **_time(step.at)}


def _time(moment: Moment) -> Row:
    return {} if moment.time is None else {"time_ns": moment.time}


def is_in_time(history: History) -> bool:
    """Whether each recorder's clock goes forward, and no reader asks again before it is told."""
    times: dict[str, list[tuple[int, int]]] = {}
    for moment in history.moments():
        if moment.time is not None:
            times.setdefault(moment.recorder, []).append((moment.seq, moment.time))
    asking = [(end.asked.seq, end.at.seq) for read in history.reads for end in read.at_ends]
    forward = all(sorted(seen) == sorted(seen, key=lambda one: (one[1], one[0])) for seen in times.values())
    return forward and all(told <= asked for (_, told), (asked, _) in pairwise(asking))
