"""Real systems behind the adapter protocol: the suite asks them as it asks any log, and crashes their nodes.

Justified by docs/how-to/ask-a-real-system.md; Kafka's producer configuration, "acks": with all and
min.insync.replicas 2 an acknowledged record survives one dead node; BookKeeper documentation, "The BookKeeper
protocol": with an ack quorum of 2 an acknowledged entry does.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.pytest_runs import run_pytest

pytestmark = [pytest.mark.real, pytest.mark.together("programs")]

ASKED = "adapter or no_loss or tail_honest or trim_honest or survives_crash"


@pytest.mark.costly("starts brokers, or ZooKeeper and bookies, and crashes them")
@pytest.mark.parametrize("adapter", ["kafka:acks_all", "bookkeeper:acks_two"])
def test_what_enough_nodes_acknowledged_survives_one_of_them(adapter: str, tmp_path: Path) -> None:
    words = ("--quorate-adapter", f"quorate.systems.{adapter}", "--quorate-histories", "2", "-k", ASKED, "-rs")
    ended = run_pytest(tmp_path, *words)
    if "PackagesUnavailable" in ended.stdout:
        pytest.skip(next(line for line in ended.stdout.splitlines() if "PackagesUnavailable" in line))
    assert ended.returncode == 0, ended.stdout
    judged = {line.split()[0]: line.split()[1:4] for line in ended.stdout.splitlines() if " holds " in line}
    assert judged.keys() == {"no_loss", "tail_honest", "trim_honest", "survives_crash"}
    assert all(int(asked) >= 1 for _, _, asked in judged.values()), ended.stdout
