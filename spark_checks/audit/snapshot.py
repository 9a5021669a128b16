"""A snapshot of a cluster: a folder with what the metadata server and the bookies said, to be audited anywhere.

``audit.json`` says when it was taken, who the bookies are, and what ledgers are held to. Tables are Parquet, each a
file or a folder of files: ``ledgers``, a row for each; ``answers``, what a bookie says that it has of a ledger, NULL
where it gave none although it was asked again after a delay; and, where there are some, ``marks``. All are sorted by
ledger, and answers by bookie, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa

from conformance.trace.errors import Empty, NotATrace
from conformance.trace.files import placed, readable
from conformance.trace.json_text import decode
from spark_checks.audit import ledgers
from spark_checks.audit.cluster import Cluster, from_json
from spark_checks.audit.judging import Marks
from spark_checks.audit.tables import ANSWERS, MARKS, Group, check_order, files_of, groups_of, rows_of
from spec.ledger.marks import Mark

ABOUT: Final = "audit.json"

BLOCK: Final = 20_000
"""Ledgers that are audited together."""

LEDGERS_KEPT: Final = 1
ANSWERS_KEPT: Final = 2
"""Row groups that are kept while blocks are read that need them."""


class Block(NamedTuple):
    """Ledgers that are audited together.

    Attributes:
        group: where they are.
        begin, rows: the first of their rows in it, and how many they are.
        answers: the row groups that may have answers about them.
    """

    group: Group
    begin: int
    rows: int
    answers: tuple[Group, ...]


@dataclass(frozen=True)
class Snapshot:
    """A snapshot that was opened.

    Attributes:
        path: its folder.
        cluster: what ledgers are held to.
        blocks: what there is to audit.
        marks: all marks; they are kept in memory.
    """

    path: Path
    cluster: Cluster
    blocks: tuple[Block, ...]
    marks: Marks

    @property
    def ledgers(self) -> int:
        """How many ledgers it has."""
        return sum(one.rows for one in self.blocks)


def about(path: Path) -> Cluster:
    """What a snapshot says of its cluster.

    Raises:
        TraceError: one of its kinds, for whatever is wrong.
    """
    if not (path / ABOUT).is_file():
        raise NotATrace("no snapshot", f"there is no {ABOUT} in it", "a folder that `quorate audit` wrote").at(path)
    with placed(path / ABOUT), readable():
        try:
            return from_json(decode((path / ABOUT).read_text(encoding="utf-8")))
        except UnicodeDecodeError as error:
            raise NotATrace("no text", error.reason, "text in UTF-8") from None


def opened(path: Path) -> Snapshot:
    """Open a snapshot; the rows of ledgers and answers are looked at when they are read.

    Raises:
        TraceError: one of its kinds, for whatever is wrong.
        NotSorted: its tables are not in the order of ledgers.
    """
    cluster = about(path)
    rows, answers = groups_of(path, "ledgers", ledgers.SCHEMA), groups_of(path, "answers", ANSWERS)
    if not rows:
        raise Empty("no ledger", "the table `ledgers` has no rows", "export a cluster that has ledgers").at(path)
    blocks = tuple(
        Block(
            group,
            begin,
            min(BLOCK, group.rows - begin),
            tuple(one for one in answers if one.least <= group.most and group.least <= one.most),
        )
        for group in rows
        for begin in range(0, group.rows, BLOCK)
    )
    return Snapshot(path, cluster, blocks, marks_of(path))


class Reader:
    """Reads blocks one after the other; row groups that several of them need are kept meanwhile."""

    def __init__(self) -> None:
        self._ledgers = lru_cache(LEDGERS_KEPT)(lambda group: _in_order(group, ledgers.SCHEMA, "ledger"))
        self._answers = lru_cache(ANSWERS_KEPT)(lambda group: _in_order(group, ANSWERS, "ledger", "bookie"))

    def read(self, block: Block) -> tuple[Any, Any]:
        """The ledgers of a block, and the answers about them.

        Raises:
            TraceError: one of its kinds, for whatever is wrong.
        """
        rows = self._ledgers(block.group).slice(block.begin, block.rows)
        low, high = rows["ledger"][0].as_py(), rows["ledger"][-1].as_py()
        near = [one for one in block.answers if one.least <= high and low <= one.most]
        found = pa.concat_tables([ANSWERS.empty_table(), *(_between(self._answers(one), low, high) for one in near)])
        with placed(", ".join(sorted({one.path for one in near}))):
            _check_order(found, "ledger", "bookie")
        return rows, found.combine_chunks()


def _in_order(group: Group, schema: Any, *key: str) -> Any:
    """The rows of a row group, which must be in the order of a key."""
    rows = rows_of(group, schema)
    with placed(group.path):
        _check_order(rows, *key)
    return rows


def _check_order(rows: Any, *key: str) -> None:
    check_order([rows[name].to_numpy() for name in key], " and ".join(key))


def _between(answers: Any, low: int, high: int) -> Any:
    """The answers about ledgers from one to another, both included."""
    number = answers["ledger"].to_numpy()
    begin, end = np.searchsorted(number, low), np.searchsorted(number, high, "right")
    return answers.slice(begin, end - begin)


def marks_of(path: Path) -> Marks:
    """The marks of a snapshot.

    Raises:
        TraceError: one of its kinds, for whatever is wrong.
    """
    groups = groups_of(path, "marks", MARKS) if files_of(path, "marks") else ()
    rows = pa.concat_tables([MARKS.empty_table(), *(rows_of(group, MARKS) for group in groups)])
    ledger = rows["ledger"].to_numpy()
    with placed(f"{path}, marks"):
        check_order([ledger], "ledger")
    said = zip(rows["replicas"].to_pylist(), rows["marked_ms"].to_pylist(), strict=True)
    return Marks(ledger, tuple(Mark(tuple(replicas), marked_ms) for replicas, marked_ms in said))
