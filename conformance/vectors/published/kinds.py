"""Kinds of published vectors: what makes the cases of each, and how many there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Final, TypeAlias

from conformance.vectors.published import histories, ledgers, quorums, recoveries, streams

Maker: TypeAlias = Callable[[Random], Iterator[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of published vectors, in a file of its own.

    Attributes:
        kind: the name of its schema.
        about: what its cases ask.
        make: makes cases without end.
        cases: how many are published.
        answer: the parts that are the answer; of scripts what each step expects.
    """

    kind: str
    about: str
    make: Maker
    cases: int
    answer: tuple[str, ...] = ("expected",)


KINDS: Final[Mapping[str, Kind]] = {
    "f_majorities": Kind("f-majority", "which answers suffice", quorums.f_majorities, 1400),
    "copysets": Kind("f-majority", "which nodes may hold a record", quorums.copysets, 900),
    "delivery_filters": Kind(
        "single copy delivery", "who sends a record", quorums.filters, 700, ("expected_shipped_lsns",)
    ),
    "ledger_schedules": Kind("distribution schedule", "where entries of a ledger lie", ledgers.schedules, 700),
    "lists_of_entries": Kind("availability", "how lists of entries are written", ledgers.lists, 400),
    "digests": Kind("epoch recovery", "what becomes of each ESN", recoveries.digests, 500),
    "reader_scripts": Kind("client read stream", "what a reader is given and told", streams.scripts, 300, ("steps",)),
    "histories": Kind("client history", "what clients may see", histories.histories, 500, ("verdict",)),
}
"""By the name of the file."""

ANSWERS: Final[Mapping[str, tuple[str, ...]]] = {one.kind: one.answer for one in KINDS.values()} | {
    "traces": ("verdict",)
}
"""The parts that are the answer, by kind."""
