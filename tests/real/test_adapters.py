"""Real systems behind the adapter protocol: the suite asks them as it asks any log, and crashes their nodes.

Justified by docs/how-to/ask-a-real-system.md; Kafka's producer configuration, "acks": with all and
min.insync.replicas 2 an acknowledged record survives one dead node; BookKeeper documentation, "The BookKeeper
protocol": with an ack quorum of 2 an acknowledged entry does; NATS documentation, JetStream Clustering: of three
replicas, one may fail; Streams, storage type: what is in memory is lost with its server.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.pytest_runs import run_pytest

pytestmark = [pytest.mark.real, pytest.mark.together("programs")]

NATS_KILLED_IN_TURN = (
    "w1 append a; w1 append a; crash 0; w1 append a; restart 0; crash 1; w1 append a; restart 1; "
    "crash 2; w1 append a; restart 2; r1 drain"
)
"""Whoever leads is among them."""

ASKED = "adapter or no_loss or tail_honest or trim_honest or survives_crash"


def asked(folder: Path, adapter: str, *words: str) -> subprocess.CompletedProcess[str]:
    """The suite's answer, if the system can be had here."""
    ended = run_pytest(folder, "--quorate-adapter", f"quorate.systems.{adapter}", "-rs", *words)
    if "PackagesUnavailable" in ended.stdout:
        pytest.skip(next(line for line in ended.stdout.splitlines() if "PackagesUnavailable" in line))
    return ended


@pytest.mark.costly("starts brokers, or ZooKeeper and bookies, and crashes them")
@pytest.mark.parametrize("adapter", ["kafka:acks_all", "bookkeeper:acks_two"])
def test_what_enough_nodes_acknowledged_survives_one_of_them(adapter: str, tmp_path: Path) -> None:
    ended = asked(tmp_path, adapter, "--quorate-histories", "2", "-k", ASKED)
    assert ended.returncode == 0, ended.stdout
    judged = {line.split()[0]: line.split()[1:4] for line in ended.stdout.splitlines() if " holds " in line}
    assert judged.keys() == {"no_loss", "tail_honest", "trim_honest", "survives_crash"}
    assert all(int(instances) >= 1 for _, _, instances in judged.values()), ended.stdout


@pytest.mark.thorough
def test_three_replicas_of_nats_keep_what_they_acknowledged(tmp_path: Path) -> None:
    ended = asked(tmp_path, "nats:replicated", "--quorate-steps", NATS_KILLED_IN_TURN)
    assert ended.returncode == 0, ended.stdout
    assert "steps      holds" in ended.stdout, ended.stdout


def test_one_replica_of_nats_in_memory_loses_all_with_its_server(tmp_path: Path) -> None:
    steps = "w1 append a; w1 append a; crash 0; restart 0; w1 append a; r1 drain"
    ended = asked(tmp_path, "nats:single", "--quorate-steps", steps)
    assert ended.returncode == 1, ended.stdout
    assert "client.append.one_per_lsn: violated" in ended.stdout
