"""What is known of the shipped checker: where it is wrong, the audit is right, and says how far they are apart.

Justified by BookKeeper's AuditorReplicasCheckTask.java and AvailabilityOfEntriesOfLedger.java, releases 4.10 to 4.18.
"""

from __future__ import annotations

from pathlib import Path

from spark_checks.audit.cluster import Bookie, Cluster
from spark_checks.audit.report import Report
from spark_checks.audit.running import audit
from spark_checks.audit.writing import write
from spec.language.outcomes import Verdict
from spec.ledger.availability.encoding import pack
from spec.ledger.availability.shipped import grouped_as_shipped
from spec.ledger.evidence import LedgerEvidence
from spec.ledger.metadata import Metadata, Segment, State
from spec.ledger.schedule import Quorums
from tests.support.ledger_cluster import closed, whole

WIDE = Quorums(5, 3, 2)
NAMES = tuple("abcde")


def ledger(number: int, metadata: Metadata, *lost: tuple[str, int]) -> LedgerEvidence:
    """A ledger whose bookies have all but some entries, and send it as shipped ones do."""
    held = {
        name: sorted(entries - {entry for who, entry in lost if who == name})
        for name, entries in whole(metadata).items()
    }
    return LedgerEvidence(number, metadata, {name: pack(grouped_as_shipped(entries)) for name, entries in held.items()})


def report_of(folder: Path, *ledgers: LedgerEvidence) -> Report:
    """The audit of some ledgers, beside the shipped checker."""
    write(folder / "snapshot", Cluster(tuple(map(Bookie, NAMES))), ledgers)
    return audit(folder / "snapshot", as_shipped=True)


def test_a_healthy_ledger_is_no_violation_however_wide_its_ensemble(tmp_path: Path) -> None:
    """The shipped search gives up at a gap of two entries, which a healthy ledger has where E - W is 2 or more."""
    report = report_of(tmp_path, ledger(0, closed(20, NAMES, quorums=WIDE)))
    assert report.verdict is Verdict.HOLDS
    assert report.gauges["NUM_LEDGERS_HAVING_NO_REPLICA_OF_AN_ENTRY"] == (0, 1)
    assert (report.false_alarms, report.overlooked) == (1, 0)


def test_ledgers_of_all_ranges_are_counted(tmp_path: Path) -> None:
    """The shipped counters are set to 0 at the start of each range: a lost entry in the first one is forgotten."""
    lost = [(name, 4) for name in "abc"]
    report = report_of(tmp_path, ledger(7, closed(), *lost), ledger(10_007, closed()))
    assert report.gauges["NUM_LEDGERS_HAVING_NO_REPLICA_OF_AN_ENTRY"] == (1, 0)
    assert report.counts == {"NO_REPLICA": 1}


def test_a_segment_behind_the_end_of_a_ledger_has_no_entries(tmp_path: Path) -> None:
    """The shipped check holds a segment that is not the last against the next one only."""
    dangling = Metadata(Quorums(3, 2, 2), (Segment(0, tuple("abc")), Segment(9, tuple("abd"))), State.CLOSED, 5, 0)
    report = report_of(tmp_path, ledger(0, dangling))
    assert report.verdict is Verdict.HOLDS
    assert report.false_alarms == 1
