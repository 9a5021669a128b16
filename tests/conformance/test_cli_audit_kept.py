"""The checker of a running cluster leaves findings from which it goes on, and which the audit of snapshots reads, too.

Justified by ``reference_impl.ledger.checker.earlier``: what did not change since is not asked about again.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from conformance.cli import main
from conformance.cli_audit_kept import earlier_of, keeping
from reference_impl.ledger.checker.earlier import Sound
from reference_impl.ledger.checker.running import run
from reference_impl.ledger.checker.state import Ending, Settings
from spark_checks.audit import kept
from spark_checks.audit.cluster import Bookie, Cluster
from spec.ledger.placement.adherence import anywhere
from spec.verdicts import ExitCode
from tests.support.ledger_cluster import SmallCluster, closed

HERE = Cluster(tuple(map(Bookie, "abcd")), taken_ms=1000, identity="here")
LATER = Cluster(HERE.bookies, taken_ms=5000, identity="here")


@pytest.fixture
def small() -> SmallCluster:
    """Two ledgers that are whole, and between them one of which two bookies lost entries."""
    cluster = SmallCluster()
    cluster.add(9, closed())
    cluster.add(3, closed())
    cluster.add(5, closed(), lost=[("a", 0), ("b", 4)])
    return cluster


def checked(small: SmallCluster, output: Path, settings: Settings, cluster: Cluster = HERE) -> dict[Ending, int]:
    with keeping(str(output), cluster, settings) as done:
        return dict(run(small, sorted(small.metadatas, reverse=True), settings, lambda _: None, done=done).endings)


def test_a_run_goes_on_from_the_findings_of_another(small: SmallCluster, tmp_path: Path) -> None:
    first = Settings(anywhere, 1000, 0)
    assert checked(small, tmp_path / "first", first) == {Ending.SOUND: 2, Ending.REPORTED: 1}
    earlier = earlier_of(tmp_path / "first", None, LATER)
    assert earlier.sound == {3: Sound(1, 1000), 9: Sound(1, 1000)}
    small.add(9, closed())
    small.asked.clear()
    again = checked(small, tmp_path / "again", Settings(anywhere, 1000, 0, earlier=earlier), LATER)
    assert again == {Ending.STANDING: 1, Ending.SOUND: 1, Ending.REPORTED: 1}
    assert not [one for one in small.asked if one.startswith("entries 3 ")]
    assert earlier_of(tmp_path / "again", None, LATER).sound == {3: Sound(1, 1000), 9: Sound(2, 5000)}
    assert earlier_of(tmp_path / "again", 4000, LATER).oldest_ms == 1000


def test_violations_are_left_as_an_audit_of_a_snapshot_leaves_them(small: SmallCluster, tmp_path: Path) -> None:
    checked(small, tmp_path / "findings", Settings(anywhere, 1000, 0))
    told = {"ledger": 5, "category": "BELOW_ACK_QUORUM", "segment": 0, "bookies": ["a", "b"], "since_ms": None}
    (found,) = pq.read_table(tmp_path / "findings" / "violations").to_pylist()
    assert found == told | {"entries": 2, "first_entry": 0, "last_entry": 4}


def test_a_run_that_breaks_off_leaves_no_findings_to_go_on_from(tmp_path: Path) -> None:
    with pytest.raises(ConnectionError), keeping(str(tmp_path / "findings"), HERE, Settings(anywhere, 1000, 0)):
        raise ConnectionError
    assert not (tmp_path / "findings" / kept.ABOUT).exists()


def test_an_age_needs_findings(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["audit", "bookkeeper", "zk+hierarchical://127.0.0.1:2181/ledgers", "--recheck-older-than", "60"]
    assert main(command) == ExitCode.USAGE
    assert "--recheck-older-than alone" in capsys.readouterr().err
