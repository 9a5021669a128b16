"""Windows of entries: what answers hold and what members should have is looked at in so many places at a time.

However long ledgers are, and however few groups say that a bookie has all of one, memory is bounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from spark_checks.audit.ledgers import Ledgers
from spark_checks.audit.lists import Groups

Array: TypeAlias = "np.ndarray[Any, Any]"

ENTRIES: Final = 1 << 18
"""Entries of one ledger in a window."""

PLACES: Final = 1 << 21
"""Places of one turn, a byte each: one for each entry of a window and each answer about its ledger."""

NOBODY: Final = -1
"""Stands for the answer of a bookie that is silent."""


class Answers(NamedTuple):
    """What bookies say of ledgers, in the order of ledgers.

    Attributes:
        begins: for each ledger where its answers begin; one more number, where those of the last one end.
        ledger: which each is about, by its row.
        bookie: who gave each answer, in ascending order for each ledger.
        is_heard: whether it says anything.
        groups: what it says.
    """

    begins: Array
    ledger: Array
    bookie: Array
    is_heard: Array
    groups: Groups


class Windows(NamedTuple):
    """Some windows, one after the other.

    Attributes:
        ledger: whose entries they are.
        low, high: the first entry, and one past the last.
        entry: where the entries of each begin among those of all.
        place: where the places of each begin among those of all; one more number, where those of the last one end.
    """

    ledger: Array
    low: Array
    high: Array
    entry: Array
    place: Array


class Shares(NamedTuple):
    """What members of ensembles should have, within windows; only of bookies that are heard.

    Attributes:
        window: in which window.
        segment, member: of which segment, by its row, and the place in its ensemble.
        answer: what the bookie says, by its row.
        begin, end: the entries of the segment in the window, to one past the last.
    """

    window: Array
    segment: Array
    member: Array
    answer: Array
    begin: Array
    end: Array


def turns(ledgers: Ledgers, chosen: Array, answers: Answers, ends: Array) -> Iterator[Windows]:
    """The windows of some ledgers, so many at a time as there is room for.

    Args:
        ledgers: the metadata of all.
        chosen: the rows of those to look at.
        answers: what bookies say of all.
        ends: one past the last entry of each segment.
    """
    chosen = chosen[np.diff(ledgers.begins)[chosen] > 0]
    low = ledgers.first[ledgers.begins[chosen]]
    length = np.maximum(np.maximum.reduceat(np.append(ends, 0), ledgers.begins[chosen]), low) - low
    number, within = spread(-(-length // ENTRIES))
    low, end = low[number] + ENTRIES * within, (low + length)[number]
    high, ledger = np.minimum(low + ENTRIES, end), chosen[number]
    places = (high - low + 1) * np.diff(answers.begins)[ledger]
    turn = np.cumsum(places) // PLACES
    for part in np.split(np.arange(len(ledger)), np.flatnonzero(np.diff(turn)) + 1):
        if len(part):
            yield Windows(ledger[part], low[part], high[part], _sums((high - low)[part])[:-1], _sums(places[part]))


def held(windows: Windows, answers: Answers) -> Array:
    """For each place whether the answer has the entry."""
    groups, width = answers.groups, windows.high - windows.low + 1
    begins = groups.begins[answers.begins]
    window, group = _rows(begins, windows.ledger)
    low, high, period = windows.low[window], windows.high[window], np.maximum(groups.period[group], 1)
    first, size = groups.first[group], groups.size[group]
    least = np.maximum(-((first + size - 1 - low) // period), 0)
    most = np.minimum(groups.last[group] - first, high - 1 - first) // period
    of, within = spread(np.maximum(most - least + 1, 0))
    start = first[of] + (least[of] + within) * period[of]
    nth = groups.answer[group] - answers.begins[windows.ledger[window]]
    zero = (windows.place[window] + nth * width[window] - low)[of]
    change = np.zeros(windows.place[-1] + 1, np.int8)
    change[zero + np.maximum(start, low[of])] += 1
    change[zero + np.minimum(start + size[of], high[of])] -= 1
    return np.cumsum(change, dtype=np.int8).view(bool)


def shares(ledgers: Ledgers, windows: Windows, answers: Answers, ends: Array) -> Shares:
    """What members should have in these windows, of bookies that are heard."""
    window, segment = _rows(ledgers.begins, windows.ledger)
    begin = np.maximum(ledgers.first[segment], windows.low[window])
    end = np.minimum(ends[segment], windows.high[window])
    kept = begin < end
    window, segment, begin, end = (column[kept] for column in (window, segment, begin, end))
    of, member = spread(ledgers.ensemble[windows.ledger[window]])
    answer = answer_of(ledgers, answers, segment[of], member, windows.ledger[window[of]])
    found = Shares(window[of], segment[of], member, answer, begin[of], end[of])
    is_heard = answer != NOBODY
    return Shares(*(column[is_heard] for column in found))


def answer_of(ledgers: Ledgers, answers: Answers, segment: Array, member: Array, ledger: Array) -> Array:
    """What the bookie at a place of an ensemble says of the ledger, by its row; ``NOBODY`` where it is silent."""
    bookie = ledgers.bookies[ledgers.member[segment] + member]
    many = 1 + max(int(ledgers.bookies.max(initial=0)), int(answers.bookie.max(initial=0)))
    keys = answers.ledger * many + answers.bookie
    wanted = ledger * many + bookie
    row = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    if not len(keys):
        return np.full(len(wanted), NOBODY)
    return np.where((keys[row] == wanted) & answers.is_heard[row], row, NOBODY)


def spread(counts: Array) -> tuple[Array, Array]:
    """For so many of each: which one it is, and the how-manieth of it, from 0."""
    of = np.repeat(np.arange(len(counts)), counts)
    return of, np.arange(len(of)) - np.repeat(_sums(counts)[:-1], counts)


def _rows(begins: Array, wanted: Array) -> tuple[Array, Array]:
    """The rows that belong to each of some: for each row the one that it is wanted for, and the row."""
    of, within = spread((begins[1:] - begins[:-1])[wanted])
    return of, begins[wanted][of] + within


def _sums(counts: Array) -> Array:
    """Where each begins of parts that have so many; one more number, where the last one ends."""
    return np.concatenate(([0], np.cumsum(counts)))
