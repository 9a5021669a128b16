"""Real systems behind the adapter protocol: the suite asks them as it asks any log, and crashes their nodes.

Justified by docs/how-to/ask-a-real-system.md; Kafka's producer configuration, "acks": with all and
min.insync.replicas 2 an acknowledged record survives one dead node.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.pytest_runs import run_pytest

pytestmark = [pytest.mark.real, pytest.mark.together("programs")]

ASKED = "adapter or no_loss or tail_honest or trim_honest or survives_crash"


@pytest.mark.costly("starts three brokers, and crashes them")
def test_kafka_keeps_what_all_replicas_acknowledged(tmp_path: Path) -> None:
    words = ("--quorate-adapter", "quorate.systems.kafka:acks_all", "--quorate-histories", "2", "-k", ASKED, "-rs")
    ended = run_pytest(tmp_path, *words)
    if "PackagesUnavailable" in ended.stdout:
        pytest.skip(next(line for line in ended.stdout.splitlines() if "PackagesUnavailable" in line))
    assert ended.returncode == 0, ended.stdout
    judged = {line.split()[0]: line.split()[1:4] for line in ended.stdout.splitlines() if " holds " in line}
    assert judged.keys() == {"no_loss", "tail_honest", "trim_honest", "survives_crash"}
    assert all(int(asked) >= 1 for _, _, asked in judged.values()), ended.stdout
