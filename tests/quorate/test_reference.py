"""The reference machine keeps every guarantee behind the adapter protocol, and a deviation of it breaks the right one.

Justified by docs/reference/guarantees.md and docs/reference/adapter-protocol.md.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from quorate.adapters.driven import Driven
from quorate.adapters.protocol import CAPABILITIES
from quorate.reference import ReferenceLog
from quorate.suite.guarantees import BY_NAME
from quorate.suite.judging import Conditions, Profile, find
from tests.support.pytest_runs import run_pytest

ADAPTER = ("--quorate-adapter", "quorate.reference:ReferenceLog")
NEVER = {"copies_agree": "unknown", "survives_clock_jump": "not asked"}
"""What can never be shown to hold, and what the machine cannot do."""


def test_it_can_do_nearly_everything() -> None:
    log = Driven(ReferenceLog)
    assert set(CAPABILITIES) - log.can == {"jump_clock", "close"}
    log.close()


@pytest.mark.slow
def test_pytest_passes_on_it(tmp_path: Path) -> None:
    ended = run_pytest(tmp_path, *ADAPTER, "--quorate-histories", "8")
    assert ended.returncode == 0, ended.stdout
    rows = [line.split() for line in ended.stdout.splitlines() if line.split("  ")[0] in BY_NAME]
    verdicts = {row[0]: row[1] for row in rows}
    assert verdicts == {name: NEVER.get(name, "holds").split()[0] for name in BY_NAME}


@pytest.mark.parametrize(
    ("mutant", "rule"),
    [
        ("ack_before_stored", "client.read.acked_is_delivered"),
        ("lone_copy_dropped", "client.read.acked_is_delivered"),
        ("epoch_given_twice", "client.append.one_per_lsn"),
        ("esns_swapped", "client.append.in_order"),
        ("retry_appended_twice", "client.append.in_order"),
    ],
)
def test_a_deviation_breaks_its_rule_when_epochs_end(mutant: str, rule: str) -> None:
    conditions = Conditions(partial(ReferenceLog, mutant), "1", Profile(12, 30), timeout_s=30.0)
    broken = find(BY_NAME["survives_seal"], conditions, ReferenceLog.nodes).broken
    assert broken is not None
    assert rule in broken.rules


@pytest.mark.thorough
@pytest.mark.parametrize("name", BY_NAME)
def test_it_keeps_the_guarantee_in_many_more_histories(name: str) -> None:
    conditions = Conditions(ReferenceLog, "thorough", Profile(300, 60), timeout_s=30.0)
    assert find(BY_NAME[name], conditions, ReferenceLog.nodes).broken is None
