"""Whatever a cluster is like, the audit finds in columns what the reference checker finds by asking.

Justified by BookKeeper, BP-34, High Level Logic, as ``reference_impl.ledger.checker`` follows it; what is found as
shipped, by ``spec.ledger.durability.findings_as_shipped``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Final

import pytest

from spark_checks.audit import snapshot, windows, writing
from spark_checks.audit.cluster import Cluster
from spark_checks.audit.durability import LEVELS
from spark_checks.audit.judging import Audited, Ending, audited
from spark_checks.audit.snapshot import Reader, opened
from spark_checks.audit.writing import write
from spec.ledger.availability.encoding import decode
from spec.ledger.availability.groups import Groups, entries_of
from spec.ledger.durability import Durability, category, findings, findings_as_shipped, is_judged
from spec.ledger.errors import LedgerError
from spec.ledger.evidence import LedgerEvidence
from spec.ledger.metadata import Metadata
from tests.support.audited import by_reference, random_cluster, random_ledgers, rows_of

LEDGERS: Final = 300

ENDINGS: Final = {
    "REPORTED": Ending.VIOLATED,
    "SOUND": Ending.SOUND,
    "MARKED": Ending.MARKED,
    "NOT_CLOSED": Ending.NOT_CLOSED,
    "BOOKIES_DOWN": Ending.UNDECIDED,
    "UNREADABLE": Ending.UNREADABLE,
}
"""What the endings of the reference checker are called here."""


@pytest.fixture(params=[(3, 1), (1 << 18, 50), (7, 1 << 20)], ids=lambda sizes: f"windows of {sizes[0]}")
def windowed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows so small that ledgers go through several, or turns so small that each has few."""
    entries, places = request.param
    monkeypatch.setattr(windows, "ENTRIES", entries)
    monkeypatch.setattr(windows, "PLACES", places)


def audit_of(folder: Path, ledgers: list[LedgerEvidence], rng: Random) -> tuple[Audited, Cluster]:
    """What the audit of a random cluster with some ledgers finds, and the cluster."""
    cluster = random_cluster(rng)
    ledgers += random_ledgers(rng, cluster, LEDGERS)
    write(folder, cluster, ledgers)
    found = opened(folder)
    whole = Audited()
    reader = Reader()
    for block in found.blocks:
        rows, answers = reader.read(block)
        whole += audited(rows, answers, found.marks, found.cluster, as_shipped=True)
    return whole, cluster


@pytest.mark.usefixtures("windowed")
def test_the_audit_finds_what_the_checker_finds(tmp_path: Path, rng: Random) -> None:
    ledgers: list[LedgerEvidence] = []
    found, cluster = audit_of(tmp_path / "snapshot", ledgers, rng)
    violations, endings = by_reference(cluster, ledgers)
    assert rows_of(found.violations.to_pylist()) == violations
    assert found.endings == Counter({ENDINGS[name]: count for name, count in endings.items()})
    assert {row[1] for row in violations} >= {"NO_REPLICA", "BELOW_ACK_QUORUM", "MISPLACED", "SILENT_BOOKIE"}


@pytest.mark.usefixtures("windowed")
def test_levels_are_those_of_the_specification_and_as_shipped(tmp_path: Path, rng: Random) -> None:
    ledgers: list[LedgerEvidence] = []
    found, _ = audit_of(tmp_path / "snapshot", ledgers, rng)
    unmarked = ((one.metadata, said(one)) for one in ledgers if one.mark is None and one.metadata is not None)
    judged = [(metadata, groups) for metadata, groups in unmarked if is_judged(metadata)]
    levels = Counter((_level(metadata, groups), _as_shipped(metadata, groups)) for metadata, groups in judged)
    compared = Counter[tuple[Durability, Durability]]()
    for (_, here, shipped), count in found.compared.items():
        compared[LEVELS[here], LEVELS[shipped]] += count
    assert compared == levels
    assert len(levels) > len(LEVELS)


def said(ledger: LedgerEvidence) -> Mapping[str, Groups | None]:
    """What each bookie says, as groups; None where it says nothing that can be read."""
    return {name: _groups(data) for name, data in ledger.answers.items()}


def _groups(data: bytes | None) -> Groups | None:
    try:
        return None if data is None else decode(data)
    except LedgerError:
        return None


def _level(metadata: Metadata, groups: Mapping[str, Groups | None]) -> Durability:
    held = {name: None if some is None else entries_of(some) for name, some in groups.items()}
    return category(findings(metadata, held), metadata.quorums)


def _as_shipped(metadata: Metadata, groups: Mapping[str, Groups | None]) -> Durability:
    return category(findings_as_shipped(metadata, groups), metadata.quorums)


def test_blocks_and_row_groups_are_no_borders(tmp_path: Path, rng: Random, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ledgers of one block have their answers in several row groups, and the other way round."""
    monkeypatch.setattr(snapshot, "BLOCK", 17)
    monkeypatch.setattr(writing, "ROWS", 40)
    ledgers: list[LedgerEvidence] = []
    found, cluster = audit_of(tmp_path / "snapshot", ledgers, rng)
    assert rows_of(found.violations.to_pylist()) == by_reference(cluster, ledgers)[0]
