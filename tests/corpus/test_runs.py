"""The corpus is what it promises: all pairs of what a run may have, every fault, enough steps, made once for all.

The issue on the log family asks for 200,000 simulated steps with faults over at least eight topologies of three to
twelve nodes, replicated across one to three scopes.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from reference_impl.log.context import DELIVERIES
from reference_impl.plan import FAULTS, REPLICATIONS, TOPOLOGIES
from reference_impl.simulate import simulate
from spec.language.scopes import SCOPES
from tests.support import corpus
from tests.support.corpus import CHOICES, RIGHT, folder_of_runs, pairs, rows, run_of


def test_all_pairs_come_together() -> None:
    """Of topologies, deliveries, variants, faults and weathers, and of their absence."""
    wanted = {
        frozenset({(one, this), (other, that)})
        for one, other in combinations(CHOICES, 2)
        for this in CHOICES[one]
        for that in CHOICES[other]
    }
    nobody_sends = {pair for pair in wanted if pair <= {(name, False) for name in DELIVERIES}}
    assert wanted - {pair for row in rows() for pair in pairs(row)} - nobody_sends == set()


def test_there_are_enough_steps_on_clusters_of_all_kinds() -> None:
    """Three to twelve nodes, one to three scopes, several shards on a host, missing locations."""
    assert sum(run_of(name).steps.total() for name in RIGHT) >= 200_000
    assert {len(cluster.locations) for cluster in TOPOLOGIES.values()} >= {3, 12}
    assert {len(property_) for property_ in REPLICATIONS.values()} == {1, 2, 3}
    assert any(len(host) > 1 for cluster in TOPOLOGIES.values() for host in cluster.domains()["node"])
    racks = {bool(location.get("rack")) for location in TOPOLOGIES["partly7"].locations}
    assert racks == {True, False}
    assert {scope for property_ in REPLICATIONS.values() for scope in property_} <= set(SCOPES)


def test_every_fault_strikes() -> None:
    """Each does something in some run; what it does is tested one by one."""
    struck = sum((run_of(name).struck for name in RIGHT), Counter[str]())
    assert [fault for fault in FAULTS if struck[fault] < 2] == []


def test_a_run_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever comes later finds it on disk, the same to the byte as it is simulated."""
    monkeypatch.setattr(corpus, "HOME", tmp_path)
    run = run_of("right00")
    assert run.events == list(simulate(RIGHT["right00"]))
    monkeypatch.setattr(corpus, "made", pytest.fail)
    assert run_of("right00") == run


def test_runs_of_other_sources_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus, "HOME", tmp_path)
    (tmp_path / "of-other-sources").mkdir()
    assert [folder_of_runs()] == list(tmp_path.iterdir())
