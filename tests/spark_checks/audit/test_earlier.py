"""An audit that goes on from an earlier one judges what changed since, and nothing that is damaged or of others counts.

Justified by ``reference_impl.ledger.checker.earlier``, which says what stands and what is lost; and by the house's rule
that bad input gives a named error, never a pass.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conformance.cli import main
from conformance.trace import errors
from reference_impl.ledger.checker import earlier as reference
from reference_impl.ledger.checker.state import Check
from reference_impl.ledger.checker.state import Ending as Ended
from spark_checks.audit import snapshot
from spark_checks.audit.cluster import Bookie, Cluster
from spark_checks.audit.earlier import SOUND, Earlier
from spark_checks.audit.judging import Audited, Ending, audited
from spark_checks.audit.kept import ABOUT
from spark_checks.audit.report import as_json
from spark_checks.audit.running import KEPT, Since, audit, audit_on_spark
from spark_checks.audit.snapshot import Reader, opened
from spark_checks.audit.writing import write
from spec.language.outcomes import Verdict
from spec.ledger.availability.encoding import encode
from spec.ledger.evidence import LedgerEvidence
from spec.ledger.marks import Mark
from spec.ledger.metadata import Metadata, Segment, State
from spec.ledger.schedule import Quorums
from spec.verdicts import ExitCode
from tests.spark_checks.audit.test_judging import ENDINGS
from tests.support.audited import NOW_MS, by_reference, random_cluster, random_ledgers, rows_of
from tests.support.ledger_cluster import whole

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LEDGERS: Final = 300
DAY_MS: Final = 86_400_000
BOOKIES: Final = tuple(map(Bookie, ("a", "b", "c", "d")))
THREE: Final = Metadata(Quorums(3, 2, 2), (Segment(0, ("a", "b", "c")),), State.CLOSED, 5, 0)

Hurt = Callable[[Path], object]


def ledger(number: int, version: int | None = 1, *lost: tuple[str, int], metadata: Metadata = THREE) -> LedgerEvidence:
    """A ledger, whole but for what some bookies lost."""
    held = {bookie: set(entries) for bookie, entries in whole(metadata).items()}
    for bookie, entry in lost:
        held[bookie].discard(entry)
    return LedgerEvidence(
        number, metadata, {bookie: encode(entries) for bookie, entries in held.items()}, version=version
    )


@pytest.fixture
def days(tmp_path: Path) -> Callable[..., Any]:
    """Audits a snapshot of each of some days, each since the findings of the day before; gives the report."""
    passed = list[Path]()

    def another(*found: LedgerEvidence, bookies: tuple[Bookie, ...] = BOOKIES, **since: Any) -> Any:
        day = len(passed)
        write(tmp_path / f"snapshot{day}", Cluster(bookies, taken_ms=day * DAY_MS, identity="here"), found)
        before = Since(passed[-1], **since) if passed else None
        passed.append(tmp_path / f"findings{day}")
        return audit(tmp_path / f"snapshot{day}", output=passed[-1], since=before)

    return another


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_what_stands_stands_in_columns_as_in_the_checker(tmp_path: Path, rng: Random, share: float) -> None:
    drawn = random_cluster(rng)
    racks = tuple(replace(one, location=f"r{number % 3}") for number, one in enumerate(drawn.bookies))
    cluster = replace(drawn, bookies=racks)
    ledgers = random_ledgers(rng, cluster, LEDGERS)
    write(tmp_path / "snapshot", cluster, ledgers)
    before = {one.ledger: (rng.choice((1, 2)), rng.randrange(NOW_MS)) for one in ledgers if rng.random() < share}
    present = frozenset(one.name for one in cluster.bookies[1:])
    rows = np.array([(one, *said) for one, said in before.items()], np.int64).reshape(-1, len(SOUND))
    known = Earlier(rows[:, 0], rows[:, 1], rows[:, 2], present, NOW_MS // 4)
    checks = list[Check]()
    silent = {one.ledger for one in ledgers if None in one.answers.values()}
    sound = {one: reference.Sound(*said) for one, said in before.items() if one not in silent}
    violations, endings = by_reference(cluster, ledgers, reference.Earlier(sound, present, NOW_MS // 4), checks.append)
    opening, found, reader = opened(tmp_path / "snapshot"), Audited(), Reader()
    for block in opening.blocks:
        found += audited(*reader.read(block), opening.marks, opening.cluster, earlier=known)
    assert rows_of(found.violations.to_pylist()) == violations
    names = ENDINGS | {Ended.STANDING.name: Ending.STANDING}
    assert found.endings == Counter({names[name]: count for name, count in endings.items()})
    assert bool(found.endings[Ending.STANDING]) is bool(share)
    versions = {one.ledger for one in ledgers if one.version is not None}
    kept = {
        one.ledger: (one.read.version, before[one.ledger][1] if one.ending is Ended.STANDING else NOW_MS)
        for one in checks
        if one.ending in {Ended.SOUND, Ended.STANDING} and one.read and one.ledger in versions
    }
    assert {row["ledger"]: (row["version"], row["asked_ms"]) for row in found.sound.to_pylist()} == kept


def test_only_what_changed_is_judged_again(days: Callable[..., Any]) -> None:
    """What is new, or was violated, or has another version; all else counts as it did."""
    assert days(ledger(1), ledger(2), ledger(3, 1, ("a", 0))).endings == {Ending.SOUND: 2, Ending.VIOLATED: 1}
    report = days(ledger(1), ledger(2, 2), ledger(3, 1, ("a", 0)), ledger(4))
    assert report.endings == {Ending.STANDING: 1, Ending.SOUND: 2, Ending.VIOLATED: 1}
    assert report.counts == {"BELOW_ACK_QUORUM": 1}
    report = days(ledger(1), ledger(2, 2), ledger(3), ledger(4))
    assert report.endings == {Ending.STANDING: 3, Ending.SOUND: 1}
    assert report.verdict is Verdict.HOLDS


def test_where_nothing_changed_the_verdict_is_what_it_was(days: Callable[..., Any]) -> None:
    days(ledger(1))
    report = days(ledger(1))
    assert (report.verdict, report.judged, report.endings) == (Verdict.HOLDS, 0, {Ending.STANDING: 1})


def test_a_copy_that_vanishes_in_silence_is_found_once_it_is_asked_about_again(days: Callable[..., Any]) -> None:
    """That is what is lost: nothing says that the copy is gone."""
    days(ledger(1))
    gone = ledger(1, 1, ("b", 0))
    assert days(gone).endings == {Ending.STANDING: 1}
    assert days(gone, older_than_ms=3 * DAY_MS).endings == {Ending.STANDING: 1}
    assert days(gone, older_than_ms=2 * DAY_MS).endings == {Ending.VIOLATED: 1}


def test_a_bookie_that_gives_no_answer_is_noticed_though_it_is_registered(days: Callable[..., Any]) -> None:
    """A snapshot may leave out the answers about what stands; who was asked and gave none is silent."""
    days(ledger(1), ledger(2))
    silent = ledger(1)._replace(answers={**ledger(1).answers, "b": None})
    report = days(silent, ledger(2)._replace(answers={}))
    assert report.endings == {Ending.VIOLATED: 1, Ending.STANDING: 1}
    assert report.counts == {"SILENT_BOOKIE": 1}


def test_an_audit_since_another_says_what_a_whole_one_says(tmp_path: Path, rng: Random) -> None:
    """Random changes: ledgers whose metadata changed or not, bookies that went, came back, moved, or are silent."""
    drawn = random_cluster(rng)
    racks = tuple(replace(one, location=f"r{number % 3}", registered=True) for number, one in enumerate(drawn.bookies))
    before = random_ledgers(rng, replace(drawn, bookies=racks), LEDGERS)
    moved = tuple(
        replace(
            one, registered=rng.random() < 0.8, location=f"r{rng.randrange(3)}" if rng.random() < 0.3 else one.location
        )
        for one in racks
    )
    after = [changed(rng, one) for one in before if rng.random() < 0.9]
    for name, bookies, ledgers in (("then", racks, before), ("now", moved, after)):
        write(tmp_path / name, replace(drawn, bookies=bookies), ledgers)
    audit(tmp_path / "then", output=tmp_path / "findings")
    whole_audit = audit(tmp_path / "now", output=tmp_path / "whole")
    since = audit(tmp_path / "now", output=tmp_path / "since", since=Since(tmp_path / "findings"))
    assert pq.read_table(tmp_path / "since" / "violations") == pq.read_table(tmp_path / "whole" / "violations")
    assert since.verdict is whole_audit.verdict
    endings = Counter(since.endings)
    assert (standing := endings.pop(Ending.STANDING)) > 0
    assert endings + Counter({Ending.SOUND: standing}) == whole_audit.endings


def changed(rng: Random, one: LedgerEvidence) -> LedgerEvidence:
    """A ledger as it may be later: the same, with silent bookies, with a mark, or with other metadata and answers."""
    drawn = rng.random()
    if drawn < 0.6 or one.metadata is None:
        return one
    if drawn < 0.7:
        return one._replace(answers=dict.fromkeys(one.answers))
    if drawn < 0.8:
        return one._replace(mark=Mark(("b0",), None))
    other = {name: encode(()) for name in one.answers}
    return one._replace(version=3, answers=other)


def test_a_bookie_that_went_or_came_back_is_asked_again(days: Callable[..., Any]) -> None:
    """And only about what it has; about one that is away, each time, as nothing says whether it is gone for good."""
    elsewhere = replace(THREE, segments=(Segment(0, ("b", "c", "d")),))
    both = (ledger(1), ledger(2, metadata=elsewhere))
    away = (replace(BOOKIES[0], registered=False), *BOOKIES[1:])
    days(*both)
    assert days(*both, bookies=away).endings == {Ending.SOUND: 1, Ending.STANDING: 1}
    assert days(*both, bookies=away).endings == {Ending.SOUND: 1, Ending.STANDING: 1}
    assert days(*both).endings == {Ending.SOUND: 1, Ending.STANDING: 1}


def test_what_has_no_version_is_judged_each_time(days: Callable[..., Any]) -> None:
    days(ledger(1, None))
    assert days(ledger(1, None)).endings == {Ending.SOUND: 1}


def json_of(**changes: object) -> Hurt:
    """Other things in ``findings.json``."""

    def hurt(path: Path) -> None:
        said = json.loads((path / ABOUT).read_text())
        (path / ABOUT).write_text(json.dumps({name: value for name, value in (said | changes).items() if value != ""}))

    return hurt


def sound(change: Callable[[Any], Any]) -> Hurt:
    """Other rows of what is sound."""

    def hurt(path: Path) -> None:
        (file,) = (path / "sound").iterdir()
        pq.write_table(change(pq.read_table(file)), file)

    return hurt


REFUSED: dict[str, tuple[Hurt, type[errors.TraceError]]] = {
    "findings that are not whole": (lambda path: (path / ABOUT).unlink(), errors.NotATrace),
    "no text": (lambda path: (path / ABOUT).write_bytes(b"\xff"), errors.NotATrace),
    "no JSON": (lambda path: (path / ABOUT).write_text("{"), errors.Mistyped),
    "another version": (json_of(quorate_findings=2), errors.UnknownVersion),
    "nobody who was registered": (json_of(registered=""), errors.MissingField),
    "a registered number": (json_of(registered=[1]), errors.Mistyped),
    "findings of another cluster": (json_of(cluster="there"), errors.Inconsistent),
    "findings of a later time": (json_of(taken_ms=NOW_MS + 1), errors.Inconsistent),
    "no Parquet": (lambda path: next((path / "sound").iterdir()).write_bytes(b"PAR1"), errors.Damaged),
    "no version": (sound(lambda table: table.drop(["version"])), errors.MissingField),
    "another type": (
        sound(lambda table: table.set_column(1, "version", pa.array(["one"] * len(table)))),
        errors.Mistyped,
    ),
    "asked after its time": (
        sound(lambda table: table.set_column(2, "asked_ms", pa.array([0, NOW_MS + 1]))),
        errors.Inconsistent,
    ),
    "a version that is null": (
        sound(lambda table: table.set_column(1, "version", pa.array([1, None], pa.int64()))),
        errors.NullValue,
    ),
    "a ledger twice": (sound(lambda table: pa.concat_tables([table.slice(0, 1), table])), errors.Duplicated),
    "ledgers out of order": (sound(lambda table: table.take(pa.array([1, 0]))), errors.NotSorted),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_are_no_findings_of_this_cluster_is_refused_by_name(tmp_path: Path, name: str) -> None:
    write(tmp_path / "snapshot", Cluster(BOOKIES, taken_ms=NOW_MS, identity="here"), [ledger(1), ledger(2)])
    audit(tmp_path / "snapshot", output=tmp_path / "findings")
    hurt, error = REFUSED[name]
    hurt(tmp_path / "findings")
    with pytest.raises(error) as refused:
        audit(tmp_path / "snapshot", since=Since(tmp_path / "findings"), output=tmp_path / "more")
    assert str(tmp_path / "findings") in str(refused.value)
    assert not (tmp_path / "more").exists()


def test_a_cluster_without_identity_has_no_earlier_audit(tmp_path: Path) -> None:
    write(tmp_path / "snapshot", Cluster(BOOKIES), [ledger(1)])
    audit(tmp_path / "snapshot", output=tmp_path / "findings")
    with pytest.raises(errors.MissingField, match="identity"):
        audit(tmp_path / "snapshot", since=Since(tmp_path / "findings"))


def test_spark_goes_on_from_the_same_findings(
    spark: SparkSession, tmp_path: Path, rng: Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "BLOCK", 60)
    cluster = random_cluster(rng)
    write(tmp_path / "snapshot", cluster, random_ledgers(rng, cluster, LEDGERS))
    audit(tmp_path / "snapshot", output=tmp_path / "before")
    since = Since(tmp_path / "before")
    here = audit(tmp_path / "snapshot", since=since, output=tmp_path / "here")
    there = audit_on_spark(spark, tmp_path / "snapshot", since=since, output=tmp_path / "there")
    assert as_json(there, KEPT) == as_json(here, KEPT)
    assert there.endings[Ending.STANDING] > 0
    both = [pq.read_table(tmp_path / one / "sound").sort_by("ledger") for one in ("here", "there")]
    assert both[0] == both[1]
    assert [json.loads((tmp_path / one / ABOUT).read_text()) for one in ("here", "there")] == [
        json.loads((tmp_path / "before" / ABOUT).read_text())
    ] * 2


def test_the_command_goes_on_from_findings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "snapshot", Cluster(BOOKIES, taken_ms=NOW_MS, identity="here"), [ledger(1), ledger(2, None)])
    command = ["audit", "snapshot", str(tmp_path / "snapshot"), "--quiet"]
    assert main([*command, "--output", str(tmp_path / "findings")]) == 0
    capsys.readouterr()
    since = ["--since", str(tmp_path / "findings")]
    assert main([*command, *since]) == 0
    assert "holds: 2 ledgers, of which 1 were judged\n  1 sound\n  1 found sound earlier" in capsys.readouterr().out
    assert main([*command, *since, "--recheck-older-than", "0", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["ledgers"]["standing"] == 1
    for wrong in ([*since, "--as-shipped"], ["--recheck-older-than", "1"]):
        assert main([*command, *wrong]) == ExitCode.USAGE
        assert "--" in capsys.readouterr().err
