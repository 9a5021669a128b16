"""Books in columns say of plain events what the books of clients say, event by event (``spec.client.bookkeeping``).

All small histories are plain enough to be tried: of each family some, and larger ones by chance, with answers that are
heard twice. Where events are not plain, columns say nothing; the shares say that this is the exception.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from random import Random
from typing import Final

import pytest

from spec.client.bookkeeping import kept, recording_of
from spec.client.history import History
from tests.support.books_in_columns import kept_in_columns, of_its_kind, place
from tests.support.histories import FAMILIES, enumerated, random_history, to_trace
from tests.support.history_traces import Event, heard_twice
from tests.support.judged_histories import header_of, rows_of

ODD: Final = ("acknowledged_twice", "moves")
"""Families in which somebody goes on under another recorder, so that hardly a history is plain."""

LATER: Final = 1000
"""By how much the numbers of a second history are greater, so that recorders may see both."""


def said_twice(history: History, as_heard: Callable[[Iterable[Event]], Iterable[Event]] = iter) -> bool:
    """Whether columns say anything of a history; then it is what the books of clients say."""
    head, events = to_trace(history)
    return said_of_events(head, as_heard(events))


def said_of_events(head: Event, events: Iterable[Event]) -> bool:
    """The same of events with this header."""
    header, rows = header_of(head), rows_of(head)
    read = [rows.from_json(event) for event in events]
    found = kept_in_columns(read, header)
    if found is not None:
        wanted = sorted(kept(read, recording_of(header)), key=place)
        assert [of_its_kind(one, header) for one in found] == [of_its_kind(one, header) for one in wanted], (head, read)
    return found is not None


def side_by_side(history: History, other: History) -> tuple[Event, list[Event]]:
    """Two histories as a trace of two logs, under the header of the first and the recorders of both."""
    (head, events), (other_head, others) = to_trace(history), to_trace(other)
    recorders = dict.fromkeys(sorted({*head["recorders"], *other_head["recorders"]}), head["recorders"]["clients"])
    later = [
        event | {"log": 1, "seq": event["seq"] + LATER} | {"invoked": event["invoked"] + LATER}
        if "invoked" in event
        else event | {"log": 1, "seq": event["seq"] + LATER}
        for event in others
    ]
    return head | {"recorders": recorders, "logs": {"0": "orders", "1": "bills"}}, [*events, *later]


def some(rng: Random, family: str, step: int) -> Iterator[History]:
    """One of so many histories of a family."""
    return islice(enumerated(family), rng.randrange(step), None, step)


@pytest.mark.parametrize("family", FAMILIES)
def test_books_in_columns_say_what_books_say(family: str, rng: Random) -> None:
    found = [said_twice(history) for history in some(rng, family, 307)]
    assert family in ODD or sum(found) >= len(found) / 2


@pytest.mark.parametrize("as_heard", [iter, heard_twice])
def test_the_same_of_random_histories(as_heard: Callable[[Iterable[Event]], Iterable[Event]], rng: Random) -> None:
    found = [said_twice(random_history(rng), as_heard) for _ in range(200)]
    assert sum(found) >= len(found) / 2


def test_the_same_of_two_logs(rng: Random) -> None:
    found = [said_of_events(*side_by_side(random_history(rng), random_history(rng))) for _ in range(200)]
    assert sum(found) >= len(found) / 20


@pytest.mark.thorough
@pytest.mark.costly("reads 10^5 histories by two kinds of books")
@pytest.mark.parametrize("family", FAMILIES)
def test_the_same_of_all_small_histories(family: str) -> None:
    for history in enumerated(family):
        said_twice(history)
