"""The audit of some ledgers: what is wrong with each, and what came of those with which nothing is.

The reading in columns of a run of ``reference_impl.ledger.checker`` in a cluster that stands still. BookKeeper, BP-34,
High Level Logic.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from spark_checks.audit import ledgers as metadata
from spark_checks.audit import lists
from spark_checks.audit.cluster import Cluster
from spark_checks.audit.durability import LEVELS, missing, silent
from spark_checks.audit.earlier import NOTHING, SOUND, Earlier, standing
from spark_checks.audit.findings import SCHEMA, Lacking, lacking, of_one_category, table_of
from spark_checks.audit.ledgers import UNTOLD, Ledgers, columns_of
from spark_checks.audit.placing import misplaced
from spark_checks.audit.shipped import levels_as_shipped
from spark_checks.audit.windows import Answers
from spec.ledger.marks import Mark, is_too_old
from spec.ledger.metadata import NO_ENTRY
from spec.ledger.violations import Category

Array: TypeAlias = "np.ndarray[Any, Any]"

RANGE: Final = 10_000
"""Ledgers whose numbers differ in the last four digits alone are one range of the metadata server.

BookKeeper, meta/HierarchicalLedgerManager.java: a ledger's node is called by its last four digits.
"""


class Ending(Enum):
    """What came of the audit of a ledger."""

    SOUND = "sound"
    STANDING = "found sound earlier, and not changed since"
    VIOLATED = "violated"
    MARKED = "skipped: it has a mark"
    NOT_CLOSED = "skipped: it is not closed"
    UNDECIDED = "not judged: bookies are down, and known to be"
    UNREADABLE = "not judged: it cannot be read"


ENDINGS: Final = tuple(Ending)


class Marks(NamedTuple):
    """The under-replication marks of ledgers, in ascending order of their numbers.

    Attributes:
        ledger: whose.
        marks: what each says; bookies by name.
    """

    ledger: Array
    marks: tuple[Mark, ...]


@dataclass
class Audited:
    """What came of some ledgers.

    Attributes:
        violations: rows of ``findings.SCHEMA``.
        endings: how many ledgers ended how.
        faults: how many ledgers or answers have which fault.
        sound: rows of ``earlier.SOUND``: the ledgers with which nothing is wrong, where versions are told.
        compared: where the shipped checker is asked, too: how many ledgers of a range have which level here, and which
            there; levels are numbers of ``durability.LEVELS``.
    """

    violations: Any = field(default_factory=SCHEMA.empty_table)
    endings: Counter[Ending] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    sound: Any = field(default_factory=SOUND.empty_table)
    compared: Counter[tuple[int, int, int]] = field(default_factory=Counter)

    def __add__(self, other: Audited) -> Audited:
        """What came of these ledgers and of others."""
        return Audited(
            pa.concat_tables([self.violations, other.violations]),
            self.endings + other.endings,
            self.faults + other.faults,
            pa.concat_tables([self.sound, other.sound]),
            self.compared + other.compared,
        )


def audited(
    rows: Any,
    answers: Any,
    marks: Marks,
    cluster: Cluster,
    *,
    as_shipped: bool = False,
    earlier: Earlier = NOTHING,
) -> Audited:
    """Audit some ledgers.

    Args:
        rows: rows of the table of ledgers, in ascending order.
        answers: the rows of the table of answers that are about these, in ascending order of ledgers and bookies.
        marks: the marks of these ledgers, and perhaps of others.
        cluster: what they are held to.
        as_shipped: whether to compare with what the shipped checker makes of them.
        earlier: what an earlier audit found sound, and need not be judged again.
    """
    ledgers = columns_of(rows, len(cluster.bookies))
    names = pa.array([one.name for one in cluster.bookies], pa.string())
    marked = np.isin(ledgers.number, marks.ledger)
    is_checked = ledgers.is_closed & ~marked
    astray = misplaced(ledgers, np.flatnonzero(is_checked), cluster, names)
    stands, asked_ms = standing(ledgers, earlier, cluster)
    unanswered = answers["ledger"].filter(answers["entries"].is_null())
    stands &= is_checked & ~np.isin(ledgers.number, np.append(astray["ledger"], unanswered))
    said, faults = _said(ledgers, answers, ~stands)
    chosen = np.flatnonzero(is_checked & ~stands)
    judged = chosen[ledgers.last[chosen] > NO_ENTRY]
    found = lacking(missing(ledgers, judged, said))
    ledger, bookie = silent(ledgers, judged, said)
    violations = pa.concat_tables(
        [
            _overdue(ledgers, marks, cluster),
            astray,
            table_of(ledgers, found, names),
            _oddly_silent(ledgers, ledger, bookie, cluster, names),
        ]
    )
    compared = _compared(ledgers, judged, found, said) if as_shipped else Counter[tuple[int, int, int]]()
    endings = _endings(ledgers, violations, marked, stands, ledger)
    asked_ms = np.where(stands, asked_ms, cluster.taken_ms)
    return Audited(
        violations, _counted(endings), _faults(ledgers, faults), _sound(ledgers, endings, asked_ms), compared
    )


def _said(ledgers: Ledgers, answers: Any, wanted: Array) -> tuple[Answers, Array]:
    """What bookies say of wanted ledgers, and the fault of each answer; one that has a fault says nothing."""
    number = answers["ledger"].to_numpy()
    row = np.minimum(np.searchsorted(ledgers.number, number), max(len(ledgers.number) - 1, 0))
    known = ledgers.number[row] == number if len(ledgers.number) else np.zeros(len(row), bool)
    known[known] = wanted[row[known]]
    answers, row = answers.filter(pa.array(known)), row[known]
    entries = answers["entries"].combine_chunks()
    found = lists.decode(entries)
    is_heard = ~entries.is_null().to_numpy(zero_copy_only=False) & (found.faults == 0)
    begins = np.searchsorted(row, np.arange(len(ledgers.number) + 1))
    bookie = answers["bookie"].to_numpy().astype(np.int64)
    return Answers(begins, row, bookie, is_heard, found.groups), found.faults


def _overdue(ledgers: Ledgers, marks: Marks, cluster: Cluster) -> Any:
    """The marks of these ledgers that stand too long."""
    here = np.flatnonzero(np.isin(marks.ledger, ledgers.number)).tolist()
    late = [at for at in here if is_too_old(marks.marks[at], cluster.taken_ms, cluster.grace_ms)]
    replicas = pa.array([marks.marks[at].replicas for at in late], pa.list_(pa.string()))
    since_ms = [marks.marks[at].marked_ms for at in late]
    return of_one_category(Category.MARKED_TOO_LONG, marks.ledger[late], replicas, since_ms=since_ms)


def _oddly_silent(ledgers: Ledgers, ledger: Array, bookie: Array, cluster: Cluster, names: Any) -> Any:
    """The ledgers of which bookies said nothing that are registered, or not known to be down."""
    odd = np.array([one.is_oddly_silent for one in cluster.bookies], bool)[bookie]
    ledger, bookie = ledger[odd], bookie[odd]
    whose, begins = np.unique(ledger, return_index=True)
    ends = pa.array(np.append(begins, len(ledger)), pa.int32())
    about = pa.ListArray.from_arrays(ends, names.take(pa.array(bookie)))
    return of_one_category(Category.SILENT_BOOKIE, ledgers.number[whose], about)


def _endings(ledgers: Ledgers, violations: Any, marked: Array, stands: Array, quiet: Array) -> Array:
    """What came of each ledger, by its place in ``ENDINGS``: whatever is wrong with it is told first."""
    tried = {
        Ending.VIOLATED: np.isin(ledgers.number, violations["ledger"].to_numpy()),
        Ending.MARKED: marked,
        Ending.UNREADABLE: ledgers.faults > 0,
        Ending.NOT_CLOSED: ~ledgers.is_closed,
        Ending.STANDING: stands,
        Ending.UNDECIDED: np.isin(np.arange(len(marked)), quiet),
    }
    return np.select(list(tried.values()), list(map(ENDINGS.index, tried)), ENDINGS.index(Ending.SOUND))


def _counted(endings: Array) -> Counter[Ending]:
    """How many ledgers ended how."""
    counts = np.bincount(endings, minlength=len(ENDINGS)).tolist()
    return +Counter(dict(zip(ENDINGS, counts, strict=True)))


def _sound(ledgers: Ledgers, endings: Array, asked_ms: Array) -> Any:
    """The ledgers with which nothing is wrong, and when their bookies were asked."""
    wanted = np.isin(endings, [ENDINGS.index(Ending.SOUND), ENDINGS.index(Ending.STANDING)])
    wanted &= ledgers.version != UNTOLD
    columns = (ledgers.number, ledgers.version, asked_ms)
    return pa.table([pa.array(column[wanted], pa.int64()) for column in columns], schema=SOUND)


def _faults(ledgers: Ledgers, answers: Array) -> Counter[str]:
    """How many ledgers and answers have which fault."""
    found = Counter[str]()
    for words, numbers in ((metadata.FAULTS, ledgers.faults), (lists.FAULTS, answers)):
        for fault, count in zip(words, np.bincount(numbers, minlength=len(words)).tolist(), strict=True):
            found[fault] += count
    del found[""]
    return +found


def _compared(ledgers: Ledgers, judged: Array, found: Lacking, said: Answers) -> Counter[tuple[int, int, int]]:
    """How many ledgers of each range have which level by the specification, and which as shipped."""
    levels = np.full(len(ledgers.number), len(LEVELS) - 1)
    segment, level = np.divmod(found.key, len(LEVELS))
    np.minimum.at(levels, ledgers.of_segment[segment], level)
    shipped = levels_as_shipped(ledgers, judged, said)
    rows = np.stack((ledgers.number[judged] // RANGE, levels[judged], shipped))
    kinds, counts = np.unique(rows, axis=1, return_counts=True)
    return Counter({(a, b, c): count for (a, b, c), count in zip(kinds.T.tolist(), counts.tolist(), strict=True)})
