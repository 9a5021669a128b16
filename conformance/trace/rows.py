"""Events as plain mappings: made from JSON objects or from recorders' rows, checked field by field, and back.

A row has every column of its kind: numbers, frozensets of members, mappings from scope to copies, and None for what the
recorder did not know; with ``payload`` and ``extra`` only where there is one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, TypeAlias

from conformance.trace.errors import (
    Duplicated,
    Inconsistent,
    MissingField,
    Mistyped,
    NullValue,
    UnknownKind,
    UnknownPartition,
    UnknownRecorder,
)
from conformance.trace.fields import (
    COMMON,
    EXTRA,
    PAYLOAD,
    SERVED_BY,
    EventDemand,
    EventShape,
    FieldShape,
    shapes_within,
)
from conformance.trace.header import Header
from conformance.trace.json_text import encode
from conformance.trace.typed import HIGH, LOW, mapping, number, required, text
from spec.language.bookkeeping import BOOKS
from spec.language.family import Family
from spec.language.limits import Limit, limits
from spec.language.parameters import FACTOR_BITS
from spec.language.prepared import prepared
from spec.language.scopes import SCOPES
from spec.language.universes import Universe

EventRow: TypeAlias = Mapping[str, Any]
"""One event by column of the vocabulary, with ``kind`` as a number and ``recorder`` as a name."""


def limits_of(header: Header) -> tuple[Limit, ...]:
    """What the stored values of a trace must be, as far as the header and the width of the columns tell.

    Columns that place an event may not be unknown in any event that has them.
    """
    always = frozenset({"kind", "recorder", *header.sorted_by.stored})
    return limits(header.family.events, header.parameters(), always)


class Rows:
    """Makes and checks the rows of one trace.

    Args:
        header: says how many members there are, how wide positions are, who records, and which partitions there are.
    """

    def __init__(self, header: Header) -> None:
        self.parameters = parameters = header.parameters()
        self.partitions, self.shapes = header.partitions, shapes_within(header.family, parameters)
        self.partition = header.sorted_by.partition
        self.family, self.words = header.family, {shape.word: shape for shape in self.shapes.values()}
        self.recorders = frozenset(header.recorders)
        self.demands = {
            kind: [(demand, prepared(demand.term, parameters)) for demand in shape.demands]
            for kind, shape in self.shapes.items()
        }

    def from_json(self, said: Mapping[str, Any]) -> EventRow:
        """The row of one line of JSON lines.

        Raises:
            TraceError: one of its kinds, for whatever is missing, mistyped, unknown or oversized; without a place.
        """
        word = text("kind", required(said, "kind", "event", "name the kind of event"))
        shape = self.words.get(word)
        if shape is None:
            raise UnknownKind(f"kind {word!r:.40}", f"the vocabulary has {', '.join(self.words)}", "one of these")
        row, used = self._common(shape, said), 2 + (PAYLOAD in said)
        for field in shape.fields:
            row[field.column] = self._value(field, said, field.name, list)
            used += field.name in said
        self._check(shape, row)
        if used < len(said):
            known = {*COMMON, *(field.name for field in shape.fields)}
            row[EXTRA] = extra_of({name: value for name, value in said.items() if name not in known})
        return row

    def checked(self, row: EventRow) -> EventRow:
        """The row of a recorder, with unknown fields filled in as None and columns of other kinds left out.

        Raises:
            TraceError: as ``from_json``.
        """
        shape = self.shapes.get(number("kind", required(row, "kind", "event", "say the kind's number")))
        if shape is None:
            raise UnknownKind(f"kind {row['kind']}", f"the vocabulary has 1 to {max(self.shapes)}", "one of these")
        found = self._common(shape, row)
        for field in shape.fields:
            found[field.column] = self._value(field, row, field.column, (frozenset, set))
        self._check(shape, found)
        if extra := extra_of(mapping(EXTRA, row.get(EXTRA) or {})):
            known = {*COMMON, *(field.name for field in shape.fields)}
            if clash := known & extra.keys():
                raise Duplicated(f"field {min(clash)!r} stands twice", "it is also in extra", "take it out of extra")
            encode(extra)
            found[EXTRA] = extra
        return found

    def to_json(self, row: EventRow) -> dict[str, Any]:
        """The JSON object of a checked row; what the recorder did not know is left out."""
        shape = self.shapes[row["kind"]]
        said: dict[str, Any] = {"kind": shape.word, "recorder": row["recorder"]}
        for field in shape.fields:
            value = row[field.column]
            if value is not None:
                said[field.name] = sorted(value) if field.sort == "set" else value
        if PAYLOAD in row:
            said[PAYLOAD] = row[PAYLOAD]
        return said | dict(row.get(EXTRA, {}))

    def _common(self, shape: EventShape, said: Mapping[str, Any]) -> dict[str, Any]:
        recorder = text("recorder", required(said, "recorder", "event", "name the recorder"))
        if recorder not in self.recorders:
            raise UnknownRecorder(
                f"recorder {recorder!r:.60}", "the header does not declare it", "add it to the header's recorders"
            )
        if (recorder == BOOKS) != (shape.word in self.family.added):
            raise not_of_books(self.family, recorder, shape.word)
        row: dict[str, Any] = {"kind": shape.kind, "recorder": recorder}
        if said.get(PAYLOAD) is not None:
            row[PAYLOAD] = text(PAYLOAD, said[PAYLOAD])
        return row

    def _check(self, shape: EventShape, row: EventRow) -> None:
        if self.partitions and self.partition in row and row[self.partition] not in self.partitions:
            raise unknown_partition(self.partition, row[self.partition])
        for demand, is_met in self.demands[shape.kind]:
            if is_met(row) is False:
                raise inconsistent(shape, demand)

    def _value(self, field: FieldShape, said: Mapping[str, Any], name: str, sets: type | tuple[type, ...]) -> Any:
        value = said.get(name)
        if value is None:
            if field.optional:
                return None
            if name in said:
                raise NullValue(f"{name} is null", "every event of this kind knows it", "record it, or drop the event")
            raise MissingField(f"{name} is missing", "every event of this kind says it", f"record {name}")
        if field.sort == "int":
            return number(name, value, *(field.bounds or (LOW, HIGH)))
        return factors(name, value) if field.universe is None else self._members(field.universe, name, value, sets)

    def _members(self, universe: Universe, name: str, value: Any, sets: type | tuple[type, ...]) -> frozenset[int]:
        members: Collection[Any] = value
        section, word = universe.section, universe.one
        if not isinstance(value, sets):
            raise Mistyped(
                f"{name} is {value!r:.60}", f"it must be a set of {section}", f"list the numbers of {section}"
            )
        last = self.parameters.size_of(universe) - 1
        found = frozenset(number(f"{name}: {word}", one, 0, last) for one in members)
        if len(found) < len(members):
            raise Duplicated(f"{name} is {value!r:.60}", f"a {word} stands in it twice", f"name each {word} once")
        return found


def extra_of(said: dict[str, Any]) -> dict[str, Any]:
    """The fields that no column keeps, of which one is known to be text.

    Raises:
        Mistyped: it is none.
    """
    if said.get(SERVED_BY) is not None:
        text(SERVED_BY, said[SERVED_BY])
    return said


def unknown_partition(column: str, partition: int | None = None) -> UnknownPartition:
    """The error for an event of a partition that is none of those in the header."""
    what = f"an unknown {column}" if partition is None else f"{column} is {partition}"
    return UnknownPartition(what, f"the header names {column}s, and not this one", f"add it to the header's {column}s")


def not_of_books(family: Family, recorder: str, word: str) -> UnknownRecorder:
    """The error for an event that is only added in sorting and another recorder tells, or the other way round."""
    what, why = (
        f"{word} told by recorder {recorder!r:.60}",
        f"{BOOKS!r} tells of {' and '.join(family.added) or 'nothing'}, and nobody else",
    )
    return UnknownRecorder(what, why, "leave it out: it is added when a trace is sorted")


def inconsistent(shape: EventShape, demand: EventDemand) -> Inconsistent:
    """The error for an event that is not what is demanded of its kind."""
    return Inconsistent(f"{shape.word} contradicts itself", demand.sentence.rstrip("."), "correct what recorded it")


def factors(name: str, value: object) -> dict[str, int]:
    """A replication property, without scopes that need no copy.

    Raises:
        TraceError: one of its kinds, if it is none.
    """
    said = mapping(name, value)
    for scope in said:
        if scope not in SCOPES:
            raise Mistyped(f"{name} has a scope {scope!r:.40}", f"the scopes are {', '.join(SCOPES)}", "one of these")
    most = (1 << FACTOR_BITS - 1) - 1
    copies = {scope: number(f"{name} across {scope}", said[scope], 0, most) for scope in SCOPES if scope in said}
    if not any(copies.values()):
        raise Mistyped(f"{name} is {said!r:.60}", "it asks for no copy", "leave it out where it is not known")
    return {scope: count for scope, count in copies.items() if count}
