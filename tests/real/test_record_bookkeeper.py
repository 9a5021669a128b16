"""A real BookKeeper cluster under fault, judged twice: by raw content, and by the rules after the import.

BookKeeper documentation, "The BookKeeper protocol": what an ack quorum has acknowledged survives the loss of all its
bookies but one; a ledger that is recovered takes no more of its writer's entries. BP-34, Public Interfaces, on lists of
entries; replication/AuditorReplicasCheckTask.java and util/AvailabilityOfEntriesOfLedger.java on how they are searched.
"""

from __future__ import annotations

from base64 import b64decode
from pathlib import Path

import pytest

from conformance.importers import commands
from conformance.record.bookkeeper import BookKeeperRecording
from conformance.record.lines import read_lines
from spec.language.outcomes import Verdict
from spec.ledger.availability.encoding import decode
from spec.ledger.durability import Durability, category, findings_as_shipped
from spec.ledger.forms.versions import read
from spec.ledger.metadata import Metadata
from spec.verdicts import TraceVerdict
from tests.support.recordings import by_id, checked_trace, undecided, violated

pytestmark = [pytest.mark.real, pytest.mark.together("programs")]


def verdict_of(recording: BookKeeperRecording, folder: Path) -> TraceVerdict:
    trace = folder / "trace.parquet"
    commands.bookkeeper(recording.history.parent, trace)
    return checked_trace(trace)


def rows(path: Path, **wanted: object) -> list[dict[str, object]]:
    """The rows that say what is wanted."""
    return [row for row in read_lines(path) if wanted.items() <= row.items()]


def metadata_of(recording: BookKeeperRecording, ledger: int) -> Metadata:
    return read(b64decode(str(rows(recording.metadata, ledger=ledger)[-1]["data"])))


def entries(path: Path, **wanted: object) -> set[object]:
    return {row["entry"] for row in rows(path, **wanted)}


@pytest.mark.costly("starts all real systems, if it is the first to ask")
def test_a_ledger_survives_a_dead_bookie_and_a_takeover(
    bookkeeper_takeover: BookKeeperRecording, tmp_path: Path
) -> None:
    recording = bookkeeper_takeover
    metadata = metadata_of(recording, 0)
    acknowledged = entries(recording.history, kind="ack", ledger=0)
    assert len(metadata.segments) >= 2, "the dead bookie was replaced"
    assert metadata.last_entry is not None
    assert acknowledged <= set(range(metadata.last_entry + 1))
    assert len(rows(recording.history, kind="indefinite", client="w0")) == 1, "the takeover stopped the writer"
    assert acknowledged <= entries(recording.history, kind="deliver", ledger=0)
    fenced = {row["node"] for row in rows(recording.stored, ledger=0) if "entry" not in row}
    assert len(fenced) >= 2, "of three bookies too few are left for an ack quorum"
    verdict = verdict_of(recording, tmp_path)
    assert violated(verdict) == {}
    assert undecided(verdict) == set()
    judged = by_id(verdict)
    assert verdict.verdict is Verdict.HOLDS
    assert judged["ledger.add.by_an_ack_quorum"].judged >= len(acknowledged)
    assert judged["ledger.ensemble.behind_confirmed"].judged >= 1
    assert judged["ledger.recovery.keeps_acknowledged"].judged >= len(acknowledged)
    stored = {(row["node"], row["entry"]) for row in rows(recording.stored, ledger=0) if "entry" in row}
    under_a_fence = {entry for node, entry in stored if node in fenced}
    assert acknowledged <= under_a_fence, "each acknowledged entry lies on a bookie that is fenced"
    assert judged["ledger.fence.takes_no_adds"].judged >= len(acknowledged)
    assert judged["ledger.check.by_schedule"].judged >= len(acknowledged), "the checker of BP-34 asked for all copies"


@pytest.mark.costly("starts all real systems, if it is the first to ask")
def test_what_one_bookie_acknowledged_is_lost_with_its_disk(
    bookkeeper_ack1: BookKeeperRecording, tmp_path: Path
) -> None:
    recording = bookkeeper_ack1
    acknowledged = entries(recording.history, kind="ack")
    lost = acknowledged - entries(recording.history, kind="deliver")
    assert len(lost) == 10
    (wiped,) = [row["node"] for row in rows(recording.stored) if "wiped_ns" in row]
    assert {row["node"] for row in rows(recording.stored) if row.get("entry") in lost} == {wiped}
    verdict = verdict_of(recording, tmp_path)
    assert violated(verdict) == {"ledger.recovery.keeps_acknowledged": len(lost)}
    assert undecided(verdict) == set()
    kept = len(acknowledged) - len(lost)
    reported = by_id(verdict)["ledger.check.once"].judged
    assert reported == kept - 1, "the checker reports all that the wiped bookie lacks; recovery gave it the last entry"
    assert rows(recording.audited) == [{"ledger": 0, "category": Durability.BELOW_WRITE_QUORUM.name}]


@pytest.mark.costly("starts all real systems, if it is the first to ask")
def test_bookkeepers_own_checker_reports_a_hole_in_a_sound_ledger(
    bookkeeper_striped: BookKeeperRecording, tmp_path: Path
) -> None:
    recording = bookkeeper_striped
    metadata, lists = metadata_of(recording, 0), rows(recording.lists, ledger=0)
    names = {row["node"]: str(row["bookie"]) for row in rows(recording.metadata) if "bookie" in row}
    said = {names[row["node"]]: decode(b64decode(str(row["data"]))) for row in lists}
    shipped = category(findings_as_shipped(metadata, said), metadata.quorums)
    assert rows(recording.audited) == [{"ledger": 0, "category": shipped.name}], "the release does as we say it does"
    assert shipped is Durability.NO_REPLICA
    verdict = verdict_of(recording, tmp_path)
    assert violated(verdict) == {"ledger.list.is_condensed": 3}, "each run of entries is a group of its own"
    judged = by_id(verdict)
    assert judged["ledger.check.asks_all"].judged == 12
    assert "ledger.check.once" not in judged, "the checker of BP-34 reports nothing"
