"""Ends: when readers asked whether a log goes on.

Source: the books of all clients, ``spec.client.bookkeeping.books``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spec.client.bookkeeping.fields import INVOKED
from spec.client.columns.knowing import Moments
from spec.client.columns.plain import Plain
from spec.columns.column import Array
from spec.columns.order import places
from spec.events import AtEnd


class Ends(NamedTuple):
    """Where readers were told that they are at the end, and when they asked."""

    rows: Array
    asked: Moments


def ends_of(plain: Plain) -> Ends | None:
    """All ends of plain events; None if a recorder's clock and its own order tell different things of a question."""
    rows = places(plain.is_of(AtEnd.kind))
    recorder = plain.recorder[rows]
    has_place, has_time = plain.known(INVOKED)[rows], plain.known("invoked_at_ns")[rows]
    place = np.where(has_place, plain.version[rows], plain.seq[rows])
    by_place = has_place | ~has_time
    before, upto = plain.at(recorder, place), plain.at(recorder, place, "right") - 1
    seen = (upto >= 0) & (plain.recorder[upto] == recorder)
    time = np.where(has_time, plain.value("invoked_at_ns")[rows], plain.time[upto])
    after = np.minimum(before, len(plain.own) - 1)
    is_late = (plain.recorder[after] == recorder) & (before < len(plain.own)) & (plain.time[after] < time)
    if (plain.has_clocks & has_place & has_time & is_late).any():
        return None
    return Ends(rows, Moments(recorder, np.where(by_place, before, 0), time, plain.has_clocks & (has_time | seen)))
