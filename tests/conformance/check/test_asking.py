"""Asking a sorted trace for some of its events: what is given is what reading all of it would give, in its order.

An explanation must not take longer than judging, so only what it needs is read and decoded.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from conformance.check.ordering import Asked, events_of, in_partition
from conformance.check.witness import neighbourhoods, partition_of, witnesses
from conformance.trace import parquet
from conformance.trace.open import Parquet
from spec.events import Ack, Deliver, Event, Fault, Invoke, Refused, StatusTable, Store
from spec.language.events import kinds
from spec.language.outcomes import Violation
from spec.registry import BY_ID
from tests.support.small_traces import header, lost, sound, write_sorted
from tests.support.tiny import at


@pytest.fixture
def trace(tmp_path: Path) -> Parquet:
    """A loss in log 1, and a sound record in each of three others, three events to a row group."""
    others = [event | {"log": log} for log in (2, 3, 4) for event in sound()]
    named = replace(header(), named={"logs": {log: f"log {log}" for log in (1, 2, 3, 4)}})
    path = write_sorted(tmp_path / "whole.parquet", [*lost(), *others], named)
    table = pq.read_table(path).replace_schema_metadata(pq.read_metadata(path).metadata)
    pq.write_table(table, tmp_path / "groups.parquet", row_group_size=3)
    return Parquet(tmp_path / "groups.parquet")


ALL = frozenset(kinds(Event))
STORED, ACKNOWLEDGED, FAULTS = (frozenset(kinds(event)) for event in (Store, Ack, Fault))
ASKED = {
    "two kinds": [Asked(STORED | FAULTS)],
    "a log": [Asked(ALL, {"log": frozenset({3})})],
    "a record": [Asked(STORED | ACKNOWLEDGED, {"log": frozenset({1}), "epoch": frozenset({2})})],
    "a kind everywhere, and a log": [Asked(ACKNOWLEDGED), Asked(ALL, {"log": frozenset({2, 4})})],
    "what is not there": [Asked(ALL, {"log": frozenset({9}), "epoch": frozenset({9})})],
    "nothing": [],
}


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_what_is_given_is_what_all_of_the_trace_has(trace: Parquet, asked: list[Asked]) -> None:
    def wanted(event: dict[str, object]) -> bool:
        return any(
            event["kind"] in one.kinds
            and all(event.get(column, next(iter(numbers))) in numbers for column, numbers in one.where.items())
            for one in asked
        )

    assert list(events_of(trace, asked)) == [event for event in trace.events() if wanted(dict(event))]


def test_row_groups_of_other_partitions_are_not_read(trace: Parquet, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    whole = parquet.read_group

    def noted(part: parquet.TraceFile, group: int) -> object:
        read.append(group)
        return whole(part, group)

    monkeypatch.setattr(parquet, "read_group", noted)
    given = list(events_of(trace, [in_partition(trace, ALL, 4)]))
    assert {event.get("log", 4) for event in given} == {4}
    assert 0 < len(read) < len(trace.parts[0].groups) / 2


REFUSED = BY_ID["client.append.refused_is_absent"]


def refused(tmp_path: Path) -> tuple[Parquet, Violation]:
    """A reader is given a record whose append failed; beside it is one that is sound."""
    broken = [at(Invoke, writer=8, digest=12), at(Refused, writer=8, digest=12), at(Deliver, 1, 2, reader=3, digest=12)]
    return Parquet(write_sorted(tmp_path / "t.parquet", [*sound(), *broken])), Violation(REFUSED.id, (1, 12))


def test_a_violation_asks_only_for_rows_at_which_it_may_look(tmp_path: Path) -> None:
    trace, violation = refused(tmp_path)
    (near,) = neighbourhoods(trace, {violation: REFUSED}).values()
    assert {event["digest"] for event in near.events} == {12}


def test_a_witness_names_events_of_which_tables_are_made(tmp_path: Path) -> None:
    """The rule looks up payloads of which nobody told, which are made of appends; the append is the row's own, too."""
    assert Invoke.kind in {kind for one in REFUSED.dimensions for kind in kinds(one.events)}
    trace, violation = refused(tmp_path)
    told = witnesses(trace, {violation: REFUSED})[violation].told
    assert [sentence.split(" payload")[0] for sentence in told] == [
        "Client 8 asked to append",
        "Client 8 was told that",
        "Reader 3 was given",
    ]


def test_rules_about_no_partition_are_explained_too(tmp_path: Path) -> None:
    """``log.status.one_table``: a table of statuses is of the whole cluster."""
    rule, violation = BY_ID["log.status.one_table"], Violation("log.status.one_table", (1, 2))
    assert partition_of(rule.view, violation.key) is None
    tables = [at(StatusTable, version=1, seq=seq) for seq in (1, 2)]
    trace = Parquet(write_sorted(tmp_path / "t.parquet", [*sound(), *tables]))
    (near,) = neighbourhoods(trace, {violation: rule}).values()
    assert [(event["kind"], event["seq"]) for event in near.own] == [(StatusTable.kind, 2)]
