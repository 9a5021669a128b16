"""What does not fit a fixed width is found before anything is judged: bad input gives a named fault, never a pass."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from spec.events import Event
from spec.language.parameters import Parameters
from spec.language.sql.guard import Findings, findings, guard_statement
from tests.support.random_traces import parameters_for, random_events
from tests.support.sql_engines import quiet_duckdb, table_of

STORE, ACK, STATUS = 7, 8, 2
PARAMETERS = parameters_for(70)


def found(changed: dict[str, Any], parameters: Parameters = PARAMETERS) -> Findings:
    """What the guard finds where one store says something else."""
    events = [event for event in random_events(Random(3), 400, nodes=70, logs=2, nulls=False) if event["kind"] == STORE]
    table = table_of(events, parameters).to_pylist()
    table[0] |= changed
    stored = table_of([], parameters).schema.empty_table().from_pylist(table, schema=table_of([], parameters).schema)
    with quiet_duckdb() as database:
        database.register("trace", stored)
        row = database.execute(guard_statement("trace", parameters, base=Event)).fetchall()[0]
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
    assert found({"actor": None, "nodes_b": None, "nodes_b_1": None}).nullable == frozenset()


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"kind": 99}, "events of an unknown kind"),
        ({"kind": None}, "events of an unknown kind"),
        ({"log": None}, "column log is NULL in an event that must have it"),
        ({"epoch": None}, "column epoch is NULL in an event that must have it"),
        ({"node": 70}, "column node names a node that the header's topology of 70 does not have"),
        ({"node": -1}, "column node names a node that the header's topology of 70 does not have"),
        ({"esn": 256}, "columns epoch and esn hold a position that does not fit 8 bits for the ESN"),
        ({"epoch": -1}, "columns epoch and esn hold a position that does not fit 8 bits for the ESN"),
        ({"epoch": 1 << 55}, "columns epoch and esn hold a position that does not fit 8 bits for the ESN"),
        ({"nodes": None}, "columns nodes and nodes_1 are words of one set, and only one of them is NULL"),
        ({"nodes_1": None}, "columns nodes and nodes_1 are words of one set, and only one of them is NULL"),
    ],
)
def test_faults_are_named(changed: dict[str, Any], fault: str) -> None:
    """Each names the column and what is wrong with it, and counts the events that have it."""
    faults = {one.what: one.events for one in found(changed).faults}
    assert faults.get(fault) == 1
