"""The guard: one scan that refuses values no trace may have, and finds which columns hold NULL, and which kinds occur.

SQL is shorter and faster without what can make no difference, so the scan pays for itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from conformance.trace.arrow import stored
from conformance.trace.errors import (
    Duplicated,
    Empty,
    NullValue,
    Oversized,
    TraceError,
    Truncated,
    UnknownKind,
    UnknownRecorder,
)
from conformance.trace.extremes import Extremes
from conformance.trace.header import Header
from conformance.trace.rows import inconsistent, limits_of, unknown_partition
from spec.language.bookkeeping import BOOKS
from spec.language.limits import Limit
from spec.language.schema import StorageColumn
from spec.language.sql.dialects import SPARK
from spec.language.sql.events import kind_is
from spec.language.sql.guard import is_beyond, is_broken, is_torn, is_unknown

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COUNT: Final = "events"


@dataclass(frozen=True)
class Fault:
    """A condition that no event may satisfy, and the error that names it."""

    condition: str
    error: TraceError


class Seen(NamedTuple):
    """What the guard's scan has seen.

    Attributes:
        events: how many there are.
        nullable: the stored columns that hold NULL in a kind that fills them.
        kinds: the kinds of event that occur; of two that are 64 apart both, if one does.
    """

    events: int
    nullable: frozenset[str]
    kinds: frozenset[int]


def guarded(
    session: SparkSession,
    header: Header,
    source: str,
    *,
    unique: bool,
    told: int | None = None,
    extremes: Mapping[str, Extremes] | None = None,
) -> Seen:
    """Look at every event once.

    Args:
        session: where to run.
        header: what the trace's header says.
        source: a view with the stored columns.
        unique: it is known that no event stands twice.
        told: how many events there must be, if the trace says so.
        extremes: what is known of columns without looking at every value.

    Raises:
        TraceError: one of its kinds, for values that no trace may have.
    """
    known = extremes or {}
    faults = list(faults_of(header, known))
    maybe = [column for column in stored(header) if column.optional and not _is_known(column, known)]
    wrong = " OR ".join(f"({fault.condition})" for fault in faults)
    nulls = [
        f"bool_or({kind_is(column.optional)} AND {column.name} IS NULL) AS n{number}"
        for number, column in enumerate(maybe)
    ]
    occurs = "bit_or(shiftleft(1L, CAST(kind & 63 AS INT))) AS kinds"
    asked = [f"count(*) AS {COUNT}", f"coalesce(bool_or({wrong}), false) AS wrong", occurs, *nulls]
    row = session.sql(f"SELECT {', '.join(asked)} FROM {source}").collect()[0]
    if not row[COUNT]:
        raise Empty("no event", "the trace has no rows", "check whether the recorders were on")
    if row.wrong:
        _refuse_first(session, source, faults)
    if told is not None and told != row[COUNT]:
        error = Truncated if told > row[COUNT] else Duplicated
        raise error(f"{row[COUNT]} events", f"the last line counts {told}", "copy it again, one trace per file")
    if not unique:
        _refuse_repetition(session, source)
    nullable = frozenset(column.name for number, column in enumerate(maybe) if row[f"n{number}"])
    return Seen(row[COUNT], nullable, frozenset(kind for kind in header.shapes if row.kinds >> (kind & 63) & 1))


def _refuse_first(session: SparkSession, source: str, faults: Sequence[Fault]) -> None:
    """Name the first fault that an event has: a scan of its own, for traces that have one."""
    counts = [f"count_if({fault.condition}) AS f{number}" for number, fault in enumerate(faults)]
    row = session.sql(f"SELECT {', '.join(counts)} FROM {source}").collect()[0]
    for number, fault in enumerate(faults):
        if row[f"f{number}"]:
            raise fault.error.at(f"{row[f'f{number}']} events")


def faults_of(header: Header, known: Mapping[str, Extremes]) -> Iterator[Fault]:
    """Everything that no event of this trace may say, but for what is known not to stand in it."""
    kinds = ", ".join(map(str, header.shapes))
    vocabulary = f"the vocabulary has 1 to {max(header.shapes)}"
    yield Fault(f"kind IS NULL OR kind NOT IN ({kinds})", UnknownKind("an unknown kind", vocabulary, "a later quorate"))
    names = ", ".join("'" + name.replace("\\", "\\\\").replace("'", "\\'") + "'" for name in header.recorders) or "NULL"
    undeclared = UnknownRecorder("an unknown recorder", "the header does not declare it", "add it to the header")
    yield Fault(f"recorder IS NULL OR NOT coalesce(recorder IN ({names}), false)", undeclared)
    added = kind_is(kind for kind, shape in header.shapes.items() if shape.word in header.family.added)
    others = UnknownRecorder(
        "an event that books add, told by another recorder, or another one of theirs",
        f"{BOOKS!r} tells of {' and '.join(header.family.added) or 'nothing'}, and nobody else",
        "leave it out: it is added when a trace is sorted",
    )
    yield Fault(f"({added}) <> (recorder = '{BOOKS}')", others)
    if header.partitions:
        (column,) = (column for column in stored(header) if column.name == header.sorted_by.partition)
        named = ", ".join(map(str, header.partitions))
        strange = unknown_partition(column.name)
        yield Fault(f"{kind_is(column.kinds)} AND {column.name} NOT IN ({named})", strange)
    for limit in limits_of(header):
        column = limit.column
        if limit.needed and not _is_known(column, known):
            what = NullValue(
                f"{_names(limit.needed, column, header)} is NULL", "it must be known in this kind of event", "record it"
            )
            yield Fault(is_unknown(limit), what)
        first = replace(column, name=column.column)
        if column.word and not (_is_known(column, known) and _is_known(first, known)):
            error = NullValue(
                f"a part of {_names(column.kinds, column, header)} is NULL", "it is one set", "record all or nothing"
            )
            yield Fault(is_torn(limit), error)
        if not _is_inside(limit, known):
            what_else = f"{_names(column.kinds, column, header)} is out of bounds"
            yield Fault(is_beyond(limit), Oversized(what_else, "the header does not allow it", "check the header"))
    for shape in header.shapes.values():
        for demand in shape.demands:
            broken = is_broken(shape.kind, demand.term, SPARK, header.parameters())
            yield Fault(broken, inconsistent(shape, demand))


def _names(kinds: Collection[int], column: StorageColumn, header: Header) -> str:
    """What people call a shared column in events of some kinds."""
    fields = (field for kind in sorted(kinds) if kind in header.shapes for field in header.shapes[kind].fields)
    names = dict.fromkeys(field.name for field in fields if field.column == column.column)
    return " or ".join(names) or column.name


def _is_known(column: StorageColumn, known: Mapping[str, Extremes]) -> bool:
    """Whether no event can have NULL there."""
    return column.name in known and not known[column.name].nulls


def _is_inside(limit: Limit, known: Mapping[str, Extremes]) -> bool:
    """Whether no event can have a value that does not fit: of masks without a gap, the extremes tell too."""
    if limit.bounds is None and limit.bits is None:
        return True
    extremes = known.get(limit.column.name)
    if extremes is None:
        return False
    if limit.bounds:
        return extremes.within(*limit.bounds)
    bits = limit.bits or 0
    return extremes.within(0, 0 if bits & (bits + 1) else bits)


def _refuse_repetition(session: SparkSession, source: str) -> None:
    """Refuse an event that stands twice.

    Each recorder's numbers are looked at by sixty-fours, as bits of one word: where they are dense, as they should be,
    that shuffles a sixty-fourth of the rows.
    """
    counted = "count(*) > bit_count(bit_or(shiftleft(1L, CAST(seq & 63 AS INT))))"
    suspects = f"SELECT recorder, seq >> 6 AS some FROM {source} GROUP BY recorder, seq >> 6 HAVING {counted} LIMIT 1"
    for suspect in session.sql(suspects).collect():
        within = f"SELECT seq FROM {source} WHERE recorder = :recorder AND seq >> 6 = :some"
        twice = f"{within} GROUP BY seq HAVING count(*) > 1 LIMIT 1"
        seq = session.sql(twice, {"recorder": suspect.recorder, "some": suspect.some}).collect()[0].seq
        raise Duplicated(
            f"event {seq} of recorder {suspect.recorder!r} stands twice",
            "a recorder counts its events, each with a number of its own",
            "check whether recordings overlap, or whether a restarted recorder counted from the start again",
        )
