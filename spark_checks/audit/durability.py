"""Copies that are missing, in columns: what bookies should have by the schedule, held against what they say they have.

The reading in columns of ``spec.ledger.durability``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from spark_checks.audit.ledgers import Ledgers
from spark_checks.audit.windows import NOBODY, Answers, Shares, Windows, answer_of, held, shares, spread, turns
from spec.ledger.durability import Durability

Array: TypeAlias = "np.ndarray[Any, Any]"

LEVELS = tuple(Durability)
"""What an entry comes to, by number, the worst first."""


class Missing(NamedTuple):
    """Copies that are missing: a row for each entry that a bookie lacks.

    Attributes:
        ledger, segment, bookie: whose, by rows.
        entry: which.
        level: what the entry comes to, a number of ``LEVELS``.
    """

    ledger: Array
    segment: Array
    bookie: Array
    entry: Array
    level: Array


def missing(ledgers: Ledgers, chosen: Array, answers: Answers) -> Iterator[Missing]:
    """The copies that are missing of some closed ledgers; a bookie that is silent lacks nothing.

    The reading in columns of ``spec.ledger.durability.findings``.
    """
    ends = ledgers.ends_of_segments()
    for windows in turns(ledgers, chosen, answers, ends):
        some = shares(ledgers, windows, answers, ends)
        has = held(windows, answers)
        share, entry = scheduled(ledgers, windows, some)
        lacks = ~has[places(windows, some, answers)[share] + entry]
        yield judged(ledgers, windows, some, share[lacks], entry[lacks], answers)


def scheduled(ledgers: Ledgers, windows: Windows, some: Shares) -> tuple[Array, Array]:
    """The entries that each share has: the share, and the entry.

    The reading in columns of ``spec.ledger.coverage.write_set``: a member has the entries whose write set it is in.
    """
    ledger = windows.ledger[some.window]
    share, step = spread(ledgers.write[ledger])
    size, begin = ledgers.ensemble[ledger][share], some.begin[share]
    first = begin + (some.member[share] - step - begin) % size
    of, within = spread(np.maximum(-((first - some.end[share]) // size), 0))
    return share[of], first[of] + within * size[of]


def places(windows: Windows, some: Shares, answers: Answers) -> Array:
    """Where entry 0 of each share's answer has its place, were it in the window."""
    low, high = windows.low[some.window], windows.high[some.window]
    nth = some.answer - answers.begins[windows.ledger[some.window]]
    place: Array = windows.place[some.window] + nth * (high - low + 1) - low
    return place


def judged(ledgers: Ledgers, windows: Windows, some: Shares, share: Array, entry: Array, answers: Answers) -> Missing:
    """What each entry comes to, by how many shares lack it.

    The reading in columns of ``spec.ledger.durability.durability``.
    """
    window = some.window[share]
    place = windows.entry[window] + entry - windows.low[window]
    _, back, count = np.unique(place, return_inverse=True, return_counts=True)
    ledger = windows.ledger[window]
    copies = ledgers.write[ledger] - count[back]
    level = np.select([copies <= 0, copies < ledgers.ack[ledger]], [0, 1], 2)
    return Missing(ledger, some.segment[share], answers.bookie[some.answer[share]], entry, level)


def silent(ledgers: Ledgers, chosen: Array, answers: Answers) -> tuple[Array, Array]:
    """The bookies that should have something of some ledgers, and say nothing: the ledger, and the bookie, by rows.

    The reading in columns of ``spec.ledger.durability.Findings.silent``.
    """
    of, ends = ledgers.of_segment, ledgers.ends_of_segments()
    wanted = np.isin(of, chosen) & (ledgers.first < ends)
    segment = np.flatnonzero(wanted)
    which, member = spread(ledgers.ensemble[of[segment]])
    segment = segment[which]
    ledger = of[segment]
    wait = (member - ledgers.first[segment]) % ledgers.ensemble[ledger] - ledgers.write[ledger] + 1
    has_some = np.maximum(wait, 0) < (ends - ledgers.first)[segment]
    found = has_some & (answer_of(ledgers, answers, segment, member, ledger) == NOBODY)
    pairs = np.unique(np.stack((ledger[found], ledgers.bookies[ledgers.member[segment] + member][found])), axis=1)
    return pairs[0], pairs[1]
