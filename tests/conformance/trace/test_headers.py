"""Headers: what a trace says of itself before any event (architecture, The trace; spec.promises)."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
from hypothesis import given

from conformance.trace.errors import Duplicated, NullValue, Oversized, TraceError, UnknownKind, UnknownVersion
from conformance.trace.header import MAX_MEMBERS, Header, Member, Recorder, System
from conformance.trace.header_json import header_from_json, header_to_json
from conformance.trace.json_text import encode
from tests.support.traces import HEADER, headers


def made(**fields: Any) -> Header:
    """Make a small header that differs in some fields."""
    plain: dict[str, Any] = {"system": System("x"), "recorders": {}, "clock_bound_ns": 0}
    return Header(**plain | fields)


@given(headers())
def test_a_header_survives_json(header: Header) -> None:
    assert header_from_json(json.loads(encode(header_to_json(header)))) == header


def test_domains_come_from_locations() -> None:
    """A shard without a location at a scope is in no domain of it."""
    header = made(
        members={
            "nodes": (
                Member("a", {"node": "host1", "rack": "r1"}),
                Member("b", {"node": "host1"}),
                Member("c", {"node": "host2", "rack": "r2"}),
            )
        }
    )
    parameters = header.parameters()
    assert parameters.size == 3
    assert parameters.domains_of("shard") == (frozenset({0}), frozenset({1}), frozenset({2}))
    assert parameters.domains_of("node") == (frozenset({0, 1}), frozenset({2}))
    assert parameters.domains_of("rack") == (frozenset({0}), frozenset({2}))
    assert parameters.domains_of("region") == ()


def test_a_shard_without_a_location_is_a_node_of_its_own() -> None:
    """Or every acknowledgement of a cluster that names no hosts would break a replication of two nodes."""
    header = made(members={"nodes": (Member("a"), Member("b"), Member("c", {"node": "a"}))})
    assert header.parameters().domains_of("node") == (frozenset({0}), frozenset({1}), frozenset({2}))


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ([], "absent"),
        ([{}], "absent"),
        ([{"store": "complete"}], "complete"),
        ([{"store": "complete"}, {"ack": "partial"}], "complete"),
        ([{"store": "complete"}, {"store": "partial"}], "partial"),
        ([{"store": "partial"}], "partial"),
    ],
)
def test_a_kind_is_complete_if_all_who_record_it_say_so(said: list[dict[str, Any]], expected: str) -> None:
    header = made(recorders={f"r{number}": Recorder("node", records) for number, records in enumerate(said)})
    assert header.completeness("store") == expected


def test_completeness_of_an_unknown_kind_is_refused() -> None:
    with pytest.raises(UnknownKind, match="'store'"):
        HEADER.completeness("stor")


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"members": {"nodes": (Member("a"), Member("a"))}}, Duplicated),
        ({"members": {"nodes": tuple(Member(str(number)) for number in range(MAX_MEMBERS + 1))}}, Oversized),
        ({"low_bits": 0}, Oversized),
        ({"low_bits": 63}, Oversized),
        ({"named": {"writers": {1: "app", 2: "app"}}}, Duplicated),
        ({"named": {"readers": {1: "audit", -1: "audit"}}}, Duplicated),
        ({"named": {"writers": {1 << 31: "app"}}}, Oversized),
        ({"named": {"readers": {-(1 << 31) - 1: "app"}}}, Oversized),
        ({"clock_bound_ns": -1}, Oversized),
        ({"clock_bound_ns": 1 << 62}, Oversized),
    ],
)
def test_a_header_that_contradicts_itself_is_not_made(fields: dict[str, Any], error: type[TraceError]) -> None:
    with pytest.raises(error):
        made(**fields)


def test_a_later_minor_version_is_read_and_kept() -> None:
    said = header_to_json(HEADER) | {"quorate_trace": "1.7", "colour": "blue"}
    header = header_from_json(said)
    assert header.version == (1, 7)
    assert list(header.unknown_fields()) == ["header.colour"]
    assert header_to_json(header) == said


@pytest.mark.parametrize("version", ["0.9", "2.0", "10.0"])
def test_another_major_version_is_refused(version: str) -> None:
    with pytest.raises(UnknownVersion, match=version):
        header_from_json(header_to_json(HEADER) | {"quorate_trace": version})


def test_errors_travel_between_processes() -> None:
    """Spark's workers pickle what they raise: nothing of the message may be lost."""
    error = NullValue("epoch is null", "it must be known", "record it").at("line 3").at("trace.jsonl")
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert (type(again), str(again), again.where) == (NullValue, str(error), "trace.jsonl, line 3")
