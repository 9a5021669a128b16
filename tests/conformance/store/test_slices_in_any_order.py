"""A trace that a store is given slice by slice, in any order, is judged as the whole is, with the same counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from conformance.check.checking import check
from conformance.headings import header_from
from conformance.store.sources import new_slices
from conformance.store.store import Batch, Store
from conformance.trace import jsonl, parquet_writing
from conformance.trace.files import is_parquet_name
from conformance.trace.header import Header
from conformance.trace.open import open_trace
from reference_impl.heading import header_of
from reference_impl.ledger.plan import LedgerPlan
from reference_impl.ledger.simulate import simulate as simulate_ledgers
from spec.columns import blocks
from spec.columns.dimensions import dimensions_of
from spec.columns.plan import needed_of_kinds
from spec.verdicts import TraceVerdict
from tests.support import ledger_runs, segment_runs
from tests.support.corpus import PLANS, run_of

pytestmark = pytest.mark.together("store")

LENGTH = 200
"""Events of a range: few, so that there are many."""

PHASES = (Phase.explicit, Phase.reuse, Phase.generate)
"""A smaller seed is no simpler run."""


@pytest.fixture(scope="module", autouse=True)
def settling() -> Iterator[None]:
    """Even the few rows of small ranges are settled, as those of large ones are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "ROWS_TOGETHER", 0)
        yield


def written(path: Path, header: Header, events: Sequence[Any]) -> Path:
    form = parquet_writing if is_parquet_name(path) else jsonl
    form.write_events(path, header, events)
    return path


def counted(verdict: TraceVerdict) -> list[tuple[Any, ...]]:
    """What a verdict says of each rule."""
    return [
        (said.rule.id, said.verdict, said.judged, said.violated, said.unknown, said.violations)
        for said in verdict.rules
    ]


def judged_whole(folder: Path, header: Header, events: Sequence[Any]) -> TraceVerdict:
    return check(open_trace(written(folder / "whole.parquet", header, events)), shown=0).verdict


def batches(store: Store, source: Path, *, books: bool) -> Batch:
    read = {name: one.size for name, one in store.state.read.items()}
    return store.append(new_slices(source, read, growing=True), books=books)


def fed(folder: Path, header: Header, events: Sequence[Any], rng: Random) -> Store:
    """A store that got the events in files of any size and form, in any order, several at a time."""
    source = folder / "source"
    source.mkdir()
    order = list(events)
    if rng.random() < 0.7:
        rng.shuffle(order)
    store = Store(folder / "store", header, length=LENGTH)
    number = 0
    while order:
        for _ in range(rng.randrange(1, 4)):
            some, order = order[: (size := rng.randrange(1, max(len(events) // 2, 2)))], order[size:]
            number += 1
            if some:
                written(source / f"{rng.randrange(100):02}-{number}.{rng.choice(('parquet', 'jsonl'))}", header, some)
        if rng.random() < 0.3:
            store = Store(folder / "store", header, length=LENGTH)
        batches(store, source, books=rng.random() < 0.5)
    store.append(())
    return store


def agrees(header: Header, events: Sequence[Any], seed: int) -> None:
    with TemporaryDirectory() as folder:
        whole = judged_whole(Path(folder), header, events)
        store = fed(Path(folder), header, events, Random(seed))
        assert counted(store.verdict()) == counted(whole)
        assert sum(one.rows for one in store.state.layers["told"]) == store.state.events == len(events)


NAMES = ("ack_before_stored", "loss_not_told", "versions_swapped", "right00", "right01", "epoch_given_twice")


@pytest.mark.slow
@pytest.mark.costly("opens and judges a store anew after each of many slices, and the whole beside it, for two runs")
@given(st.sampled_from(NAMES), st.integers(0, 2**32))
@settings(max_examples=2, phases=PHASES)
def test_a_simulated_log(name: str, seed: int) -> None:
    header = header_from(header_of(PLANS[name]))
    agrees(header, [event for event in run_of(name).events if event["recorder"] in header.recorders], seed)


@given(st.integers(0, 2**32))
@settings(max_examples=2, phases=PHASES)
def test_simulated_ledgers(seed: int) -> None:
    plan = LedgerPlan(seed=seed % 1000)
    events = list(simulate_ledgers(plan))
    header = ledger_runs.header_of(plan, sorted({event["recorder"] for event in events}))
    agrees(header, events, seed)


def test_who_looked_up_a_row_that_changes_is_judged_again(tmp_path: Path) -> None:
    """Metadata that come last lie in other ranges than the entries that are held against them."""
    plan = LedgerPlan(seed=5, ledgers=1, entries=200)
    events = list(simulate_ledgers(plan))
    header = ledger_runs.header_of(plan, sorted({event["recorder"] for event in events}))
    store = Store(tmp_path / "store", header, length=LENGTH)
    looked_up = needed_of_kinds(dimensions_of(store.rules))
    source = tmp_path / "source"
    source.mkdir()
    last = next(event for event in events if event["kind"] in looked_up)
    written(source / "1.parquet", header, [event for event in events if event is not last])
    batches(store, source, books=True)
    before = {one.content for one in store.state.layers["told"]}
    written(source / "2.parquet", header, [last])
    batch = batches(store, source, books=True)
    untouched = [one for one in store.state.layers["told"] if one.content in before]
    touched = batch.ranges - len(untouched)
    assert untouched
    assert batch.judged > touched
    assert counted(store.verdict()) == counted(judged_whole(tmp_path, header, events))


@given(st.integers(0, 2**32))
@settings(max_examples=3, phases=PHASES)
def test_a_random_segment_layer(seed: int) -> None:
    agrees(segment_runs.HEADER, segment_runs.random_run(seed, 200), seed)
