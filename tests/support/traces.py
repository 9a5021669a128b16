"""Traces for tests of reading and writing them: a small one that has everything, and Hypothesis strategies for any.

The vocabulary of ``spec.events`` justifies what may stand in a trace: strategies draw from its classes.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from hypothesis import strategies as st

from conformance.trace import jsonl
from conformance.trace.fields import EXTRA, PAYLOAD, FieldShape, shapes_of
from conformance.trace.header import Header, Member, Recorder, System
from spec.language.bookkeeping import BOOKS
from spec.language.limits import bounds_of
from spec.language.scopes import SCOPES
from spec.log.family import LOG
from tests.support.consistent import consistent

Event = dict[str, Any]
HIGH: Final = (1 << 63) - 1

HEADER: Final = Header(
    system=System("example", "1.2"),
    members={
        "nodes": tuple(Member(f"n{number}", {"node": f"n{number}", "rack": f"r{number % 2}"}) for number in range(5))
    },
    recorders={
        "n0": Recorder("node", {"store": "complete", "seal": "complete"}),
        "n1": Recorder("node", {"store": "partial"}),
        "writer": Recorder("client", {"append": "complete", "ack": "complete", "deliver": "partial"}),
        "control": Recorder("controller", {"epoch": "complete", "status": "complete", "gap": "complete"}),
    },
    named={"logs": {1: "orders", 2: "payments"}, "writers": {}, "readers": {}},
    clock_bound_ns=1_000_000,
    promises={"copies": 2, "sequencers": True},
    note="made by a test",
)

NAMELESS: Final = replace(HEADER, named={"logs": {}, "writers": {}, "readers": {}})
"""The same header without names of logs: events may be about any."""


def small_events() -> list[Event]:
    """A few events in trace order, with optional fields known and unknown, sets, a replication property and texts."""

    def event(kind: int, recorder: str, seq: int, **fields: Any) -> Event:
        unsaid = {field.column: None for field in shapes_of(LOG)[kind].fields if field.optional}
        return {"kind": kind, "recorder": recorder, **unsaid, "seq": seq, "time_ns": 1_000 + seq, **fields}

    def at(log: int, epoch: int, esn: int) -> Event:
        return {"log": log, "epoch": epoch, "esn": esn}

    replication = {"node": 2, "rack": 2}
    everyone, copies = frozenset(range(5)), frozenset({0, 3})
    return [
        event(2, "control", 1, version=1, nodes=frozenset(), nodes_b=None, nodes_c=frozenset({4})),
        event(1, "control", 2, **at(1, 1, 0), node=None, nodes=everyone, replication=replication),
        event(6, "writer", 1, **at(1, 1, 1), digest=-7, node=0),
        event(7, "n0", 2, **at(1, 1, 1), digest=-7, node=0, arg=1, arg_b=0, version=0, nodes=copies, payload="füll"),
        event(7, "n1", 3, **at(1, 1, 1), digest=None, node=3, arg=None, arg_b=0, version=0, nodes=None),
        event(8, "writer", 4, **at(1, 1, 1), digest=-7, actor=9, nodes=copies, arg=2, version=None),
        event(9, "n0", 5, **at(1, 1, 2), node=0),
        event(17, "control", 6, **at(1, 1, 2), upto_epoch=1, upto_esn=5, actor=9, arg=3, nodes=copies, version=1),
        event(16, "writer", 7, **at(2, 1, 1), upto_epoch=1, upto_esn=1, actor=9, digest=5),
    ]


def write_small(path: Path) -> Path:
    """Write the small trace as JSON lines."""
    jsonl.write_events(path, HEADER, small_events(), in_order=True)
    return path


def headers() -> st.SearchStrategy[Header]:
    """Any header, with unknown fields where a later version may put some; sets of nodes take one word or two."""
    names, extra = (
        st.text(max_size=5),
        st.dictionaries(st.text(min_size=1, max_size=5).map("x-{}".format), json_values()),
    )
    location = st.dictionaries(st.sampled_from(SCOPES[1:]), names.filter(bool), max_size=3)
    node = st.builds(Member, names, location, extra)
    many = st.sampled_from((64, 65, 70)).map(lambda count: tuple(Member(f"n{number}") for number in range(count)))
    records = st.dictionaries(
        st.sampled_from([shape.word for shape in shapes_of(LOG).values() if shape.word not in LOG.added]),
        st.sampled_from(("complete", "partial")),
    )
    roles = st.sampled_from([role for role in LOG.roles if role != BOOKS])
    return st.builds(
        Header,
        system=st.builds(System, names, names, extra),
        members=st.fixed_dictionaries(
            {"nodes": st.lists(node, min_size=1, max_size=3, unique_by=lambda node: node.name).map(tuple) | many}
        ),
        recorders=st.dictionaries(
            names.filter(lambda name: name != BOOKS), st.builds(Recorder, roles, records, extra), min_size=1, max_size=4
        ),
        clock_bound_ns=st.integers(0, 1 << 40),
        named=st.fixed_dictionaries(
            {
                "logs": st.dictionaries(st.integers(0, 1 << 40), names, max_size=3),
                "writers": _named_clients(names),
                "readers": _named_clients(names),
            }
        ),
        low_bits=st.sampled_from((8, 32, 48)),
        promises=st.dictionaries(
            st.sampled_from(("copies", "seals")), st.one_of(st.just(value=True), st.integers(1, 9))
        ),
        note=names,
        extra=extra,
    )


def _named_clients(names: st.SearchStrategy[str]) -> st.SearchStrategy[dict[int, str]]:
    """Names of some clients, none twice."""
    numbers = st.integers(-(1 << 31), (1 << 31) - 1)
    return st.lists(st.tuples(numbers, names), max_size=3, unique_by=(lambda one: one[0], lambda one: one[1])).map(dict)


def json_values() -> st.SearchStrategy[Any]:
    """Any small JSON value."""
    single = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
    return st.recursive(single, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=4)


def events(header: Header, *, most: int = 10) -> st.SearchStrategy[list[Event]]:
    """Any events that a header allows, each with a number of its own."""
    told = sorted(kind for kind, shape in shapes_of(LOG).items() if shape.word not in LOG.added)
    one = st.sampled_from(told).flatmap(lambda kind: _event(kind, header))
    return st.lists(one, min_size=1, max_size=most, unique_by=lambda event: (event["recorder"], event["seq"]))


def _event(kind: int, header: Header) -> st.SearchStrategy[Event]:
    fixed = {
        "kind": st.just(kind),
        "recorder": st.sampled_from(sorted(header.recorders)),
        **{field.column: _value(field, header) for field in shapes_of(LOG)[kind].fields},
    }
    unknown = st.dictionaries(st.text(max_size=3).map("x-{}".format), json_values(), min_size=1, max_size=2)
    said = st.fixed_dictionaries(fixed, optional={PAYLOAD: st.text(max_size=5), EXTRA: unknown})
    return said.map(lambda event: consistent(event, header.low_bits))


def _value(field: FieldShape, header: Header) -> st.SearchStrategy[Any]:
    if field.column == "log" and header.partitions:
        return st.sampled_from(sorted(header.partitions))
    low, high = field.bounds or bounds_of(header.family.events, header.parameters()).get(
        field.column, (-HIGH - 1, HIGH)
    )
    values: dict[str, st.SearchStrategy[Any]] = {
        "int": st.integers(low, high) | st.integers(max(low, 0), min(high, 3)),
        "set": st.frozensets(st.integers(0, len(header.members["nodes"]) - 1)),
        "factors": st.dictionaries(st.sampled_from(SCOPES), st.integers(1, 127)),
    }
    return values[field.sort] | st.none() if field.optional else values[field.sort]
