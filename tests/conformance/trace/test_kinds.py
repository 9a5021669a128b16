"""Events of some kinds are read alone, and are those that a reading of everything gives.

Justified by the columns reading: dimensions are gathered from a few kinds of event before any row is judged.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conformance.trace.errors import TraceError, UnknownKind
from conformance.trace.open import Parquet, open_trace
from spec.columns.column import Column
from spec.columns.dimensions import dimensions_of
from spec.columns.plan import needed_columns_of_dimensions, needed_of_kinds
from spec.events import Event, NewEpoch, StatusTable, Store
from spec.language.events import kinds
from spec.language.reference import ReferenceEvaluator
from spec.language.rule import rules_about
from spec.registry import RULES
from tests.support.small_traces import lost, write_sorted

DIMENSIONS = dimensions_of(RULES)
COLUMNS = needed_columns_of_dimensions(DIMENSIONS)


def said(column: Column) -> list[int | None]:
    known = np.ones(len(column.value), np.bool_) if column.known is None else column.known
    return [value if sure else None for value, sure in zip(column.value.tolist(), known.tolist(), strict=True)]


@pytest.mark.parametrize(
    "wanted", [frozenset(needed_of_kinds(DIMENSIONS)), kinds(NewEpoch), kinds(Store), kinds(StatusTable)]
)
@pytest.mark.parametrize("group", [1, 2, 1000])
def test_they_are_the_same_events(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wanted: frozenset[int], group: int
) -> None:
    monkeypatch.setattr("conformance.trace.parquet_writing.Target.__init__.__kwdefaults__", {"group": group})
    trace = open_trace(write_sorted(tmp_path / "run.parquet", lost()))
    alone = list(trace.raws_of(dict.fromkeys(wanted, COLUMNS)))
    everything = list(trace.raws(COLUMNS))
    for name in COLUMNS:
        found = [value for raw in alone for value in said(raw[name])]
        kind = [one for raw in everything for one in raw["kind"].value.tolist()]
        value = [value for raw in everything for value in said(raw[name])]
        assert found == [one for one, of in zip(value, kind, strict=True) if of in wanted], name


def test_only_what_is_wanted_of_a_kind_is_read(tmp_path: Path) -> None:
    """What is wanted of other kinds alone holds 0; what is wanted of these is as in a reading of everything."""
    trace = open_trace(write_sorted(tmp_path / "run.parquet", lost()))
    needed = needed_of_kinds(DIMENSIONS)
    epochs = {kind: needed[kind] for kind in kinds(NewEpoch)}
    of_epochs = frozenset().union(*epochs.values())
    alone = list(trace.raws_of(epochs | {127: COLUMNS}))
    everything = list(trace.raws_of(dict.fromkeys(kinds(NewEpoch), COLUMNS)))
    assert alone
    assert of_epochs < COLUMNS
    for name in COLUMNS:
        found = [value for raw in alone for value in said(raw[name])]
        assert found == [value if name in of_epochs else 0 for raw in everything for value in said(raw[name])], name


def test_what_is_not_read_is_not_refused(tmp_path: Path) -> None:
    """It holds 0, which is the number of no wave."""
    trace = open_trace(write_sorted(tmp_path / "run.parquet", lost()))
    (stored,) = trace.raws_of({kind: frozenset({"kind", "node"}) for kind in kinds(Store)} | {127: frozenset({"arg"})})
    assert set(said(stored["arg"])) == {0}
    (whole,) = trace.raws_of(dict.fromkeys(kinds(Store), frozenset({"kind", "arg"})))
    assert min(wave for wave in said(whole["arg"]) if wave is not None) > 0


def test_rules_about_other_kinds_find_nothing_to_judge(tmp_path: Path) -> None:
    """Nothing is read for them; the reference evaluator, which defines what rules say, has no row for them either."""
    trace = open_trace(write_sorted(tmp_path / "run.parquet", lost()))
    assert isinstance(trace, Parquet)
    assert trace.kinds() == {event["kind"] for event in trace.events()}
    about = rules_about(RULES, trace.kinds())
    said = ReferenceEvaluator(trace.events(), trace.parameters()).judge(RULES)
    assert {rule.id for rule in RULES if said.judged(rule.id)} <= {rule.id for rule in about}
    assert len(about) < len(RULES)
    assert rules_about(RULES, frozenset(kinds(Event))) == tuple(RULES)


@pytest.mark.parametrize(("group", "tables"), [(1, 2), (3, 2), (1000, 1)])
def test_small_row_groups_are_read_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, group: int, tables: int
) -> None:
    """They are the same events; what is wrong is named by its own row group."""
    monkeypatch.setattr("conformance.trace.parquet_writing.Target.__init__.__kwdefaults__", {"group": group})
    path = write_sorted(tmp_path / "run.parquet", lost())
    events = [value for raw in open_trace(path).raws(COLUMNS) for value in said(raw["kind"])]
    monkeypatch.setattr("conformance.trace.parquet.BLOCK", len(events) - 1)
    several = list(open_trace(path).raws(COLUMNS))
    assert len(several) == tables
    assert [value for raw in several for value in said(raw["kind"])] == events
    file = pq.ParquetFile(path)
    table = file.read()
    wrong = pa.array([*table["kind"].to_pylist()[:-1], 126], table.schema.field("kind").type)
    place = table.column_names.index("kind")
    table = table.set_column(place, table.field(place), wrong).replace_schema_metadata(file.metadata.metadata)
    pq.write_table(table, path, row_group_size=group)
    with pytest.raises(
        UnknownKind, match=rf"row group {(len(events) - 1) // group}, row {(len(events) - 1) % group + 1}"
    ):
        list(open_trace(path).raws(COLUMNS))


def test_row_groups_that_cannot_have_them_are_not_read(tmp_path: Path) -> None:
    """Their bytes may be anything."""
    trace = open_trace(write_sorted(tmp_path / "run.parquet", lost()))
    assert not list(trace.raws_of({127: COLUMNS}))
    path = tmp_path / "run.parquet"
    whole = path.read_bytes()
    path.write_bytes(whole[:40] + bytes(40) + whole[80:])
    assert not list(trace.raws_of({127: COLUMNS}))
    with pytest.raises(TraceError):
        list(trace.raws(COLUMNS | {"seq"}))
