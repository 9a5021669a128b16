"""Early: deliveries that came before their append began, as recorders tell together.

Records go from where they begin to where they are given. As long as that is forward in time, no step of a circle leads
back; so whatever circles there are lie within the times that backward steps span. If there is one, the books of causes
(``spec.client.bookkeeping.causes``) look for all.
"""

from __future__ import annotations

from collections import defaultdict
from graphlib import CycleError, TopologicalSorter

import numpy as np

from spec.client.bookkeeping.books import CERTAIN
from spec.client.bookkeeping.causes import Named, Spot, given_too_early
from spec.client.bookkeeping.fields import INVOKED
from spec.client.bookkeeping.recording import RecorderPosition
from spec.client.columns.answers import NO_ROW, Answers
from spec.client.columns.deliveries import Deliveries
from spec.client.columns.plain import Plain
from spec.columns.column import Array
from spec.events import Deliver, Invoke


def early_deliveries(plain: Plain, deliveries: Deliveries, answers: Answers) -> frozenset[RecorderPosition]:
    """By recorder and place, deliveries that stand in a circle."""
    count = len(plain.names)
    begins, gives = (
        np.bincount(plain.recorder[plain.is_of(kind)], minlength=count) for kind in (Invoke.kind, Deliver.kind)
    )
    is_mixed = (begins > 0) & (gives > 0)
    if is_mixed.sum() < 2 or not plain.recording.appends:  # noqa: PLR2004 - one alone knows its own order
        return frozenset()
    is_step = (deliveries.source != NO_ROW) & is_mixed[plain.recorder[deliveries.rows]]
    given, begun = deliveries.rows[is_step], deliveries.source[is_step]
    if not _is_a_circle(plain, given, begun):
        return frozenset()
    seen = deliveries.rows[is_mixed[plain.recorder[deliveries.rows]]]
    return given_too_early(_spots(plain, seen), _named(plain, answers))


def _is_a_circle(plain: Plain, given: Array, begun: Array) -> bool:
    """Whether some deliveries and the begins of their appends stand in a circle."""
    back = plain.time[begun] >= plain.time[given]
    if not back.any():
        return False
    since, until = np.sort(plain.time[given[back]]), np.sort(plain.time[begun[back]])
    spots = np.union1d(plain.begins, given)
    inside = np.searchsorted(since, plain.time[spots], "right") > np.searchsorted(until, plain.time[spots])
    spots = spots[inside]
    earlier: dict[int, list[int]] = {row: [] for row in spots.tolist()}
    same = plain.recorder[spots[1:]] == plain.recorder[spots[:-1]]
    for before, row in zip(spots[:-1][same].tolist(), spots[1:][same].tolist(), strict=True):
        earlier[row].append(before)
    is_inside = np.zeros(len(plain.own), np.bool_)
    is_inside[spots] = True
    both = is_inside[given] & is_inside[begun]
    for row, source in zip(given[both].tolist(), begun[both].tolist(), strict=True):
        earlier[row].append(source)
    try:
        TopologicalSorter(earlier).prepare()
    except CycleError:
        return True
    return False


def _spots(plain: Plain, given: Array) -> list[Spot]:
    rows = np.union1d(plain.begins, given).tolist()
    columns = (plain.recorder, plain.seq, plain.is_begin, plain.log, plain.digest, plain.lsn)
    said = zip(*(column[rows].tolist() for column in columns), strict=True)
    return [
        Spot(plain.names[recorder], seq, is_begin, log, digest, None if is_begin else lsn)
        for recorder, seq, is_begin, log, digest, lsn in said
    ]


def _named(plain: Plain, answers: Answers) -> dict[object, Named]:
    named: dict[object, Named] = defaultdict(Named)
    for row in answers.rows[plain.is_of(*CERTAIN)[answers.rows]].tolist():
        event = plain.event_at(int(plain.rows[row]), ("kind", INVOKED, "epoch", "esn"))
        named[int(plain.log[row])].note(event, plain.recording)
    return named
