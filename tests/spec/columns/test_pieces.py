"""A piece of a trace is refused by name if it cannot be read: ``spec.columns`` never guesses and never crashes."""

from random import Random

import numpy as np
import pytest

from spec.columns.blocks import check, check_block
from spec.columns.column import Column, Raw
from spec.columns.dimensions import gather
from spec.columns.mistakes import (
    ColumnsMistake,
    MemberOutOfRange,
    MissingColumn,
    NotSorted,
    NullKey,
    PositionOverflow,
)
from spec.columns.piece import Piece, blocks_of, joined_pieces
from spec.language.parameters import Parameters
from tests.support.probe_rules import PROBE_RULES
from tests.support.probe_views import Metadata, Statuses
from tests.support.random_traces import parameters_for, random_events, raw_of

PARAMETERS = parameters_for(5)
TABLES = gather((Metadata, Statuses), [], PARAMETERS)


@pytest.fixture
def raw(rng: Random) -> dict[str, Column]:
    return dict(raw_of(random_events(rng, 60, nodes=5, logs=2, nulls=False), PARAMETERS))


def changed(column: Column, row: int, value: int) -> Column:
    values = column.value.copy()
    values[row] = value
    return Column(values)


def refused(raw: Raw, kind: type[ColumnsMistake], parameters: Parameters = PARAMETERS) -> ColumnsMistake:
    with pytest.raises(kind) as caught:
        check_block(PROBE_RULES, raw, parameters, TABLES)
    mistake = caught.value
    assert mistake.what
    assert mistake.where
    assert mistake.why
    assert mistake.advice
    return mistake


def test_lsn_and_upto_are_computed(raw: dict[str, Column]) -> None:
    """LSN = epoch << ESN bits + ESN: the header fixes the bits."""
    piece = Piece(raw, Parameters(low_bits=20))
    assert (piece.column("lsn").value == (raw["epoch"].value << 20) + raw["esn"].value).all()
    assert (piece.column("upto").value >> 20 == raw["upto_epoch"].value).all()


def test_a_missing_column(raw: dict[str, Column]) -> None:
    del raw["digest"]
    assert "digest" in refused(raw, MissingColumn).where


def test_a_missing_kind(raw: dict[str, Column]) -> None:
    del raw["kind"]
    assert "kind" in refused(raw, MissingColumn).where


@pytest.mark.parametrize("column", ["log", "epoch", "esn", "seq"])
def test_an_event_without_a_place(raw: dict[str, Column], column: str) -> None:
    known = np.ones(60, np.bool_)
    known[7] = False
    raw[column] = raw[column]._replace(known=known)
    assert refused(raw, NullKey).where == f"column {column}, row 7 of the piece"


@pytest.mark.parametrize("column", ["log", "epoch", "esn"])
def test_an_unsorted_trace(raw: dict[str, Column], column: str) -> None:
    raw[column] = changed(raw[column], 0, 7)
    assert refused(raw, NotSorted).where == "row 1 of the piece"


def test_events_of_one_lsn_out_of_order() -> None:
    """Rules on single events need the recorder's order too."""
    events = random_events(Random(3), 60, nodes=5, logs=1)
    at = next(
        row
        for row in range(59)
        if (events[row]["epoch"], events[row]["esn"]) == (events[row + 1]["epoch"], events[row + 1]["esn"])
    )
    events[at : at + 2] = [events[at + 1], events[at]]
    assert refused(raw_of(events, PARAMETERS), NotSorted).where == f"row {at + 1} of the piece"


@pytest.mark.parametrize(
    ("column", "value", "advice"),
    [("esn", 256, "Raise"), ("esn", -1, "Raise"), ("epoch", 1 << 55, "Lower"), ("upto_esn", 256, "Raise")],
)
def test_a_position_that_does_not_fit(raw: dict[str, Column], column: str, value: int, advice: str) -> None:
    raw[column] = changed(raw[column], 59, value)
    mistake = refused(raw, PositionOverflow)
    assert str(value) in mistake.what
    assert column in mistake.where
    assert mistake.advice.startswith(advice)


def test_a_node_outside_the_topology(raw: dict[str, Column]) -> None:
    """A node that no mask has a bit for is not silently another one."""
    stores = np.flatnonzero(raw["kind"].value == 7)
    if not len(stores):
        raw["kind"] = changed(raw["kind"], 30, 7)
        stores = np.array([30])
    raw["node"] = changed(raw["node"], int(stores[0]), 64)
    assert "64" in refused(raw, MemberOutOfRange).what


def test_an_unknown_node_is_no_node(raw: dict[str, Column]) -> None:
    """What stands where a value is not known means nothing."""
    known = np.zeros(60, np.bool_)
    raw["node"] = Column(np.full(60, 99, np.int16), known)
    assert check(PROBE_RULES, [raw], PARAMETERS, TABLES).counts


def test_blocks_lose_nothing(raw: dict[str, Column]) -> None:
    for size in (1, 7, 60, 100):
        blocks = list(blocks_of(raw, size))
        assert sum(len(block["kind"].value) for block in blocks) == 60
        assert (np.concatenate([block["seq"].value for block in blocks]) == raw["seq"].value).all()


@pytest.mark.parametrize(("size", "pieces"), [(0, 9), (7, 9), (14, 5), (20, 4), (59, 2), (60, 1)])
def test_small_pieces_are_joined(raw: dict[str, Column], size: int, pieces: int) -> None:
    """Every event once, in order; what one piece knows of a column and another does not is kept apart."""
    known = raw["seq"].value % 3 > 0
    parts = list(blocks_of(raw, 7))
    unsure = {"seq": Column(parts[1]["seq"].value, known[7:14])}
    joined = list(joined_pieces([parts[0], {**parts[1], **unsure}, *parts[2:]], size))
    assert len(joined) == pieces
    for name, column in raw.items():
        assert (np.concatenate([piece[name].value for piece in joined]) == column.value).all()
    said = [
        np.ones(len(one["seq"].value), np.bool_) if one["seq"].known is None else one["seq"].known for one in joined
    ]
    assert (np.concatenate(said)[7:14] == known[7:14]).all()
    assert np.concatenate(said)[:7].all()
    assert np.concatenate(said)[14:].all()
