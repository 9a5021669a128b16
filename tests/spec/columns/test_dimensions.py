"""Dimensions gathered from pieces, in any order, say what the reference evaluator says; a key they lack is NULL."""

from random import Random
from typing import Any

import numpy as np
import pytest

from spec.columns.column import Column
from spec.columns.dimensions import gather
from spec.language.parameters import members, pack_factors
from spec.language.reference import ReferenceEvaluator
from spec.language.terms import Col
from spec.language.vocabulary import sort_of
from tests.support.cuts import piece_of
from tests.support.probe_views import Metadata, Recorded, Statuses
from tests.support.random_traces import parameters_for, random_events, raw_of


def plain(column: Column, row: int, sort: str) -> Any:
    """The value of one row as the reference evaluator writes it; replication stays packed."""
    if column.known is not None and not column.known[row]:
        return None
    value = column.value[..., row]
    return members(tuple(np.atleast_1d(value).tolist())) if sort == "set" else value.item()


@pytest.mark.parametrize("nodes", [5, 70])
@pytest.mark.parametrize("dimension", [Metadata, Recorded, Statuses])
def test_a_dimension_from_shuffled_pieces(
    dimension: type[Metadata | Recorded | Statuses], nodes: int, rng: Random
) -> None:
    parameters = parameters_for(nodes)
    for _ in range(20):
        events = random_events(rng, 80, nodes=nodes, logs=2)
        reference = ReferenceEvaluator(events, parameters)
        reference.table(dimension)
        raw = raw_of(events, parameters)
        pieces = [piece_of(raw, first, first + 9) for first in range(0, 80, 9)]
        table = gather([dimension], rng.sample(pieces, len(pieces)), parameters)[dimension]
        asked = [*reference.tables[dimension], tuple(99 for _ in dimension.key)]
        key = [Column(np.array([one[at] for one in asked])) for at in range(len(dimension.key))]
        found = table.find(key)
        for name, term in (dimension.base | dimension.derived).items():
            sort = sort_of(term)
            said = table.take(Col(name, sort), found)
            for row, one in enumerate(asked):
                want = reference.tables[dimension].get(one, {}).get(name)
                want = pack_factors(want) if isinstance(want, dict) else want
                assert plain(said, row, sort) == want, (name, one)


def test_a_key_that_is_not_known_finds_nothing() -> None:
    parameters = parameters_for(5)
    raw = raw_of(random_events(Random(1), 80, nodes=5, logs=1, nulls=False), parameters)
    table = gather([Statuses], [raw], parameters)[Statuses]
    found = table.find([Column(np.array([1, 1]), np.array([True, False]))])
    said = table.take(Col("tables", "int"), found)
    assert said.known is not None
    assert said.known.tolist() == [True, False]


def test_a_key_that_is_open_stays_open() -> None:
    parameters = parameters_for(5)
    table = gather([Statuses], [], parameters)[Statuses]
    opened = np.array([True, False])
    said = table.take(Col("tables", "int"), table.find([Column(np.array([1, 1]), ~opened, opened)]))
    assert said.open is not None
    assert said.open.tolist() == [True, False]
