"""What does not fit a fixed width is found before anything is judged: bad input gives a named fault, never a pass."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from spec.events import Deliver, Event
from spec.language.limits import TIME_MAX
from spec.language.parameters import Parameters
from spec.language.sql.dialects import DUCKDB
from spec.language.sql.guard import Findings, findings, guard_statement
from tests.support.random_traces import parameters_for, random_events
from tests.support.sql_engines import quiet_duckdb, table_of

STORE, ACK, STATUS, DELIVER = 7, 8, 2, 16
UPTO = Deliver.answers_for_itself.sentence.rstrip(".")
PARAMETERS = parameters_for(70)


def found(changed: dict[str, Any], parameters: Parameters = PARAMETERS, nodes: int = 70) -> Findings:
    """What the guard finds where one store says something else."""
    every = random_events(Random(3), 400, nodes=nodes, logs=2, nulls=False)
    events = [event for event in every if event["kind"] == STORE]
    table = table_of(events, parameters).to_pylist()
    table[0] |= changed
    stored = table_of([], parameters).schema.empty_table().from_pylist(table, schema=table_of([], parameters).schema)
    with quiet_duckdb() as database:
        database.register("trace", stored)
        row = database.execute(guard_statement("trace", DUCKDB, parameters, base=Event)).fetchall()[0]
    return findings(row, parameters, base=Event)


def test_nothing_is_found_in_a_sound_trace() -> None:
    """No fault, and no column that may hold NULL."""
    said = found({})
    assert (said.faults, said.nullable) == ((), frozenset())
    assert said.events > 10


@pytest.mark.parametrize("column", ["time_ns", "digest", "arg", "version"])
def test_a_recorder_may_not_know(column: str) -> None:
    """NULL in an optional column is no fault, and ``statement`` must be told of it."""
    said = found({column: None})
    assert (said.faults, said.nullable) == ((), frozenset({column}))


def test_null_in_a_column_that_a_kind_does_not_fill_is_nothing() -> None:
    """Nobody looks there."""
    assert found({"actor": None, "upto_esn": None, "held": None}).nullable == frozenset()


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"kind": 99}, "events of an unknown kind"),
        ({"kind": None}, "events of an unknown kind"),
        ({"log": None}, "column log is NULL in an event that must have it"),
        ({"epoch": None}, "column epoch is NULL in an event that must have it"),
        ({"node": 70}, "column node holds a number that is not within 0 to 69"),
        ({"node": -1}, "column node holds a number that is not within 0 to 69"),
        ({"esn": 256}, "column esn holds a number that is not within 0 to 255"),
        ({"epoch": -1}, f"column epoch holds a number that is not within 0 to {(1 << 55) - 1}"),
        ({"epoch": 1 << 55}, f"column epoch holds a number that is not within 0 to {(1 << 55) - 1}"),
        ({"log": -1}, f"column log holds a number that is not within 0 to {(1 << 63) - 1}"),
        ({"time_ns": -(1 << 62)}, f"column time_ns holds a number that is not within {-TIME_MAX} to {TIME_MAX}"),
        ({"arg": 0}, f"column arg holds a number that is not within 1 to {(1 << 31) - 1}"),
        ({"version": -1}, f"column version holds a number that is not within 0 to {(1 << 63) - 1}"),
        ({"kind": DELIVER, "upto_esn": 200}, f"deliver contradicts itself: {UPTO}"),
        ({"nodes_1": 1 << 6}, "column nodes_1 has bits that stand for nothing"),
        ({"nodes_1": -1 << 63}, "column nodes_1 has bits that stand for nothing"),
        ({"nodes": None}, "columns nodes and nodes_1 are words of one set, and only one of them is NULL"),
        ({"nodes_1": None}, "columns nodes and nodes_1 are words of one set, and only one of them is NULL"),
    ],
)
def test_faults_are_named(changed: dict[str, Any], fault: str) -> None:
    """Each names the column and what is wrong with it, and counts the events that have it."""
    faults = {one.what: one.events for one in found(changed).faults}
    assert faults.get(fault) == 1


@pytest.mark.parametrize(("nodes", "nobody"), [(63, -1 << 63), (6, 1 << 6), (6, -1)])
def test_sets_name_nodes_of_the_topology(nodes: int, nobody: int) -> None:
    """One bit for each node, of which there are at most 64 in a word."""
    faults = [one.what for one in found({"nodes": nobody}, parameters_for(nodes), nodes).faults]
    assert faults == ["column nodes has bits that stand for nothing"]


def test_a_full_word_has_no_other_bits() -> None:
    """All 64 bits may be set."""
    assert found({"nodes": -1}, parameters_for(64), 64).faults == ()
