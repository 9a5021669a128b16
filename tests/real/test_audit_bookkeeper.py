"""A real cluster is audited: what is whole is no violation, and what a bookie lost is found, live and in a snapshot.

Justified by BookKeeper, BP-34, High Level Logic. Ensembles are wider than write quorums by two, which is where the
shipped checker gives false alarms: util/AvailabilityOfEntriesOfLedger.java.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.cli import main
from conformance.record.bookkeeper_cluster import BookKeeperCluster
from conformance.record.errors import PackagesUnavailable
from conformance.record.jars import BOOKKEEPER_LOCK, fetch
from conformance.record.java import find_java

pytestmark = [pytest.mark.real, pytest.mark.together("programs")]

WIDE = (5, 3, 2)
ENTRIES = 20
LOST = 1
"""The bookie that loses all that it has."""

Output = pytest.CaptureFixture[str]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[BookKeeperCluster]:
    """Five bookies with a ledger that is closed, one that is empty, and one that is written to."""
    try:
        jars, java = fetch(BOOKKEEPER_LOCK), find_java()
    except PackagesUnavailable as missing:
        pytest.skip(str(missing))
    with BookKeeperCluster(tmp_path / "cluster", jars, java, WIDE[0]) as running:
        running.start()
        client = running.client()
        closed, empty, opened = (client.create(*WIDE) for _ in range(3))
        for number in range(ENTRIES):
            closed.append(b"%d" % number)
        closed.close()
        empty.close()
        opened.append(b"0")
        yield running


@pytest.mark.costly("starts ZooKeeper and five bookies, one JVM each")
def test_a_real_cluster_is_audited(cluster: BookKeeperCluster, tmp_path: Path, capsys: Output) -> None:
    command, findings = ["audit", "bookkeeper", cluster.uri, "--later", "1"], str(tmp_path / "findings")
    assert main([*command, "--output", findings]) == 0
    assert "2 ledgers sound\n1 ledgers skipped: it is not closed" in capsys.readouterr().out
    assert main([*command, "--since", findings]) == 0
    assert "2 ledgers found sound earlier" in capsys.readouterr().out
    cluster.servers[LOST].kill()
    cluster.wipe(LOST)
    cluster.wait_missed([LOST])
    cluster.servers[LOST].start()
    cluster.wait_registered([LOST])
    assert main([*command, "--since", findings]) == 1
    assert f"bookies {cluster.names[LOST]}" in capsys.readouterr().out
    assert main(["audit", "export", cluster.uri, str(tmp_path / "snapshot"), "--later", "1", "--quiet"]) == 0
    capsys.readouterr()
    assert main(["audit", "snapshot", str(tmp_path / "snapshot"), "--as-shipped", "--quiet", "--format", "json"]) == 1
    report = json.loads(capsys.readouterr().out)
    (found,) = report["first"]
    assert (found["category"], found["bookies"]) == ("BELOW_WRITE_QUORUM", [cluster.names[LOST]])
    assert found["entries"] == ENTRIES * WIDE[1] // WIDE[0]
    assert report["ledgers"]["sound"] == 1
    assert report["shipped"]["gauges"]["NUM_LEDGERS_HAVING_NO_REPLICA_OF_AN_ENTRY"] == {"specified": 0, "shipped": 1}
