"""Uniqueness: no event stands twice, as runs of numbers show that recorders gave without a gap.

Of recorders that count as they should, a piece of a trace has few runs, in whatever order its events stand.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from conformance.trace.blocks import Blocks
from conformance.trace.header import Header
from conformance.trace.watch import twice
from spark_checks.looking import Group
from spark_checks.tasks import Row, from_part, in_places, over, parts_of, to_part, unpacked
from spec.columns.column import Array
from spec.columns.order import order_by, places

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SHARE: Final = 22
"""Bits of what one share holds of a recorder's numbers: a run that goes on beyond is cut."""

SHARES: Final = 16
"""So many tasks at most look at runs; of a small trace as many as read it."""

SPREAD: Final = 1_000_003
"""What keeps neighbouring recorders out of the same share."""


class Runs(NamedTuple):
    """Runs of numbers, each of one recorder, without a gap.

    Attributes:
        recorder: its place in the header.
        first: the first number.
        last: the last one.
    """

    recorder: Array
    first: Array
    last: Array


def refuse_repetition(session: SparkSession, groups: Sequence[Group], header: Header) -> None:
    """Make sure that no event of a trace stands twice.

    Raises:
        Duplicated: one does.
    """
    packed = pickle.dumps((groups, Blocks(header, ("recorder", "seq"))))
    recorders, shares = tuple(header.recorders), min(SHARES, len(groups))

    def work(numbers: Iterator[int]) -> Iterator[Row]:
        groups, blocks = unpacked(packed)
        for number in numbers:
            raw = groups[number].read(blocks)
            for share, runs in shared_out(runs_of(raw["recorder"].value, raw["seq"].value), shares):
                yield {"place": share, "part": to_part(runs)}

    def of_share(_: int, parts: list[bytes]) -> Iterator[Row]:
        again = repetition([from_part(part) for part in parts])
        if again is not None:
            raise twice(recorders[again[0]], again[1])
        yield from ()

    parts_of(in_places(over(session, len(groups), work), shares, of_share))


def runs_of(recorder: Array, seq: Array) -> Runs:
    """The runs of some events; a number that stands twice begins another."""
    recorder, seq = recorder.astype(np.int64), seq.astype(np.int64)
    order = order_by(recorder, seq)
    recorder, seq = recorder[order], seq[order]
    goes_on = (recorder[1:] == recorder[:-1]) & (seq[1:] == seq[:-1] + 1) & (seq[1:] & ((1 << SHARE) - 1) != 0)
    begins = places(np.concatenate(([True], ~goes_on)))
    return Runs(recorder[begins], seq[begins], seq[np.append(begins[1:], len(seq)) - 1])


def shared_out(runs: Runs, shares: int) -> Iterator[tuple[int, Runs]]:
    """Runs by the number of their share: two events of one name come into the same."""
    share = (runs.recorder * SPREAD + (runs.first >> SHARE)) % shares
    for number in np.unique(share).tolist():
        yield number, Runs(*(column[share == number] for column in runs))


def repetition(runs: Sequence[Runs]) -> tuple[int, int] | None:
    """A recorder and a number that stands in two runs; None if there is none."""
    recorder, first, last = (np.concatenate(columns) for columns in zip(*runs, strict=True))
    order = order_by(recorder, first)
    recorder, first, last = recorder[order], first[order], last[order]
    again = places((recorder[1:] == recorder[:-1]) & (first[1:] <= last[:-1]))
    return (int(recorder[again[0] + 1]), int(first[again[0] + 1])) if len(again) else None
