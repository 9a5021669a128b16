"""``quorate generate``: what people type, and reports held to the truth.

Justified by ``conformance/cli_generate.py``: a report that says the truth passes, and one that says anything else does
not; a check that cannot fail is a defect.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conformance.cli import main
from conformance.generate import truth
from conformance.trace.delta_writing import publish
from spec.verdicts import ExitCode

pytestmark = [pytest.mark.slow, pytest.mark.together("generate")]


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A generated trace, with what a check of it says beside it."""
    home = tmp_path_factory.mktemp("generated")
    words = ["generate", str(home / "trace"), "--events", "15000", "--seed", "5", "--quiet"]
    assert main(words) == ExitCode.HOLDS
    assert main(["check", str(home / "trace"), "--output", str(home / "said"), "--quiet"]) == ExitCode.VIOLATED
    return home / "trace"


def report_of(trace: Path) -> dict[str, Any]:
    """What the check says."""
    said: dict[str, Any] = json.loads((trace.parent / "said" / "report.json").read_text())
    return said


def held(trace: Path, report: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """The exit code of holding a report to the truth, and what is said."""
    code = main(["generate", str(trace), "--verify", str(report)])
    return code, capsys.readouterr().out


def test_a_true_report_agrees(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = held(trace, trace.parent / "said", capsys)
    assert code == ExitCode.HOLDS, said
    assert "the report says the truth" in said
    assert f"{len(truth.read(trace).judgement.violations):,} planted" in said


@pytest.mark.parametrize("pattern", ["log.recovery.*", "log.append.copyset_in_nodeset", "*.read.*"])
def test_a_true_report_of_some_rules_agrees(
    pattern: str, trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of rules that all hold, of one that is unknown, and of some that are violated or were not recorded."""
    main(["check", str(trace), "--rule", pattern, "--output", str(tmp_path), "--quiet"])
    capsys.readouterr()
    code, said = held(trace, tmp_path, capsys)
    assert code == ExitCode.HOLDS, said


def test_the_truth_file_itself_may_be_named(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert held(trace / truth.NAME, trace.parent / "said", capsys)[0] == ExitCode.HOLDS


def test_what_a_report_leaves_out_is_said(trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It may have been asked for some rules alone; but nobody takes it for the whole truth."""
    report = report_of(trace)
    every, left_out = len(truth.read(trace).judgement.violations), violated(report)
    report["rules"].remove(left_out)
    (tmp_path / "report.json").write_text(json.dumps(report))
    code, said = held(trace, tmp_path / "report.json", capsys)
    assert code == ExitCode.HOLDS, said
    assert f"of {every:,} planted violations the report is about {every - left_out['violated']:,}: what it says" in said
    assert f"it leaves out 1 rules, which have the other {left_out['violated']:,}: whether these are found" in said
    assert "the report says the truth" not in said


def test_a_report_that_leaves_all_violated_rules_out_passes_for_no_other(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = report_of(trace) | {"verdict": "unknown", "exit_code": 2}
    report["rules"] = [rule for rule in report["rules"] if not rule["violated"]]
    (tmp_path / "report.json").write_text(json.dumps(report))
    code, said = held(trace, tmp_path / "report.json", capsys)
    assert code == ExitCode.HOLDS, said
    assert f"of {len(truth.read(trace).judgement.violations):,} planted violations the report is about 0: " in said
    assert "the report says the truth" not in said


def test_a_false_report_of_some_rules_says_what_it_is_about(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = report_of(trace)
    report["rules"].remove(violated(report))
    whitewash(report)
    (tmp_path / "report.json").write_text(json.dumps(report))
    code, said = held(trace, tmp_path / "report.json", capsys)
    assert code == ExitCode.VIOLATED
    assert "differs from the truth in 1 ways" in said
    assert "it leaves out 1 rules" in said


def violated(report: dict[str, Any]) -> dict[str, Any]:
    """A rule that is violated."""
    return next(rule for rule in report["rules"] if rule["violations"])


def overlook(report: dict[str, Any]) -> None:
    """Take one violation back."""
    rule = violated(report)
    rule["violated"] -= 1


def invent(report: dict[str, Any]) -> None:
    """Name a violation where there is none."""
    row = violated(report)["violations"][0]["row"]
    row[next(iter(row))] += 1_000_000


def lose_events(report: dict[str, Any]) -> None:
    """Judge one event less."""
    report["events"] -= 1


def judge_less(report: dict[str, Any]) -> None:
    """Judge one instance less of a rule that holds."""
    next(rule for rule in report["rules"] if rule["verdict"] == "holds" and rule["judged"])["judged"] -= 1


def whitewash(report: dict[str, Any]) -> None:
    """Say that a rule holds which is counted as violated."""
    violated(report)["verdict"] = "holds"


def acquit(report: dict[str, Any]) -> None:
    """Say that the whole holds."""
    report["verdict"] = "holds"


def repeat(report: dict[str, Any]) -> None:
    """Name a violation twice."""
    violated(report)["violations"] *= 2


def restate(report: dict[str, Any], old: dict[str, Any], **new: Any) -> None:
    """Say something else of all rules of which this is said."""
    changed = [rule for rule in report["rules"] if old.items() <= rule.items()]
    assert changed, f"no rule is {old}"
    for rule in changed:
        rule.update(new)


def doubt(report: dict[str, Any]) -> None:
    """Say that rules are unknown which hold."""
    restate(report, {"verdict": "holds"}, verdict="unknown")


def trust(report: dict[str, Any]) -> None:
    """Say that rules hold which have unknown instances."""
    restate(report, {"verdict": "unknown", "standing": "judged"}, verdict="holds")


def approve_unseen(report: dict[str, Any]) -> None:
    """Say that rules hold whose events are not recorded."""
    restate(report, {"standing": "not recorded"}, verdict="holds")


def judge_unseen(report: dict[str, Any]) -> None:
    """Say that rules were judged whose events are not recorded."""
    restate(report, {"standing": "not recorded"}, standing="judged")


def leave_unseen(report: dict[str, Any]) -> None:
    """Say that events are not recorded on which rules were judged."""
    restate(report, {"standing": "judged"}, standing="not recorded")


def find_no_instance(report: dict[str, Any]) -> None:
    """Say that rules have no instance which were judged."""
    restate(report, {"standing": "judged"}, standing="no instance")


def exit_well(report: dict[str, Any]) -> None:
    """End as if nothing were violated."""
    report["exit_code"] = 0


OF_COUNTS = (overlook, invent, lose_events, judge_less, repeat)
OF_VERDICTS = (whitewash, acquit, doubt, trust, approve_unseen, judge_unseen, leave_unseen, find_no_instance, exit_well)


@pytest.mark.parametrize("wrong", OF_COUNTS + OF_VERDICTS)
def test_a_false_report_does_not(wrong: Any, trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = report_of(trace)
    wrong(report)
    file = tmp_path / "report.json"
    file.write_text(json.dumps(report))
    code, said = held(trace, file, capsys)
    assert code == ExitCode.VIOLATED
    assert "differs from the truth" in said


def test_a_report_of_nothing_is_no_pass(trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "report.json"
    file.write_text(json.dumps(report_of(trace) | {"rules": [], "verdict": "unknown", "exit_code": 5}))
    assert held(trace, file, capsys)[0] == ExitCode.NOTHING_CHECKED


@pytest.mark.parametrize("text", ["{}", "[]", "no JSON", '{"quorate_report": 1, "error": {}}'])
def test_what_is_no_report_is_refused(text: str, trace: Path, tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    file.write_text(text)
    assert main(["generate", str(trace), "--verify", str(file)]) == ExitCode.UNKNOWN


DAMAGES: dict[str, Any] = {
    "another version": lambda report: report.update(quorate_report="2.0"),
    "no rules": lambda report: report.pop("rules"),
    "no exit code": lambda report: report.pop("exit_code"),
    "no word of a table": lambda report: report.pop("output"),
    "rules are none": lambda report: report.update(rules={}),
    "a rule is a word": lambda report: report.update(rules=["client.append.one_per_lsn"]),
    "an unknown rule": lambda report: report["rules"][0].update(id="log.of.nothing"),
    "a rule twice": lambda report: report["rules"].append(report["rules"][0]),
    "an unknown standing": lambda report: report["rules"][0].update(standing="upright"),
    "a count is a word": lambda report: report["rules"][0].update(judged="many"),
    "a count is NULL": lambda report: report["rules"][0].update(judged=None),
    "violations are NULL": lambda report: violated(report).update(violations=None),
    "a row is a list": lambda report: violated(report)["violations"][0].update(row=[1]),
    "a row of another view": lambda report: violated(report)["violations"][0].update(row={"nothing": 1}),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_report_is_refused(
    damage: str, trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = report_of(trace)
    DAMAGES[damage](report)
    file = tmp_path / "report.json"
    file.write_text(json.dumps(report))
    assert main(["generate", str(trace), "--verify", str(file)]) == ExitCode.UNKNOWN
    assert "no report" in capsys.readouterr().err


def table_in(trace: Path, folder: Path, change: Any = lambda columns: columns) -> Path:
    """The check's report, and beside it a table of all planted violations as Spark writes it, changed."""
    folder.mkdir()
    (folder / "report.json").write_text(json.dumps(report_of(trace) | {"output": "elsewhere/violations"}))
    planted = sorted(truth.read(trace).judgement.violations)
    width = max(len(violation.key) for violation in planted)
    keys = zip(*((violation.key + (None,) * width)[:width] for violation in planted), strict=True)
    columns = {"rule": [violation.rule for violation in planted]}
    columns |= {f"key_{place}": list(column) for place, column in enumerate(keys)}
    (folder / "violations").mkdir()
    pq.write_table(pa.table(change(columns)), folder / "violations" / "part-0.parquet")
    return folder


def test_a_true_table_agrees(trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert held(trace, table_in(trace, tmp_path / "said"), capsys)[0] == ExitCode.HOLDS


TABLES: dict[str, tuple[Any, ExitCode]] = {
    "one is missing": (lambda said: {name: column[1:] for name, column in said.items()}, ExitCode.VIOLATED),
    "one is there twice": (
        lambda said: {name: [*column, column[0]] for name, column in said.items()},
        ExitCode.VIOLATED,
    ),
    "rules are NULL": (lambda said: said | {"rule": [None] * len(said["rule"])}, ExitCode.UNKNOWN),
    "no rules": (lambda said: {name: column for name, column in said.items() if name != "rule"}, ExitCode.UNKNOWN),
    "keys are NULL": (lambda said: {"rule": said["rule"], "key": [None] * len(said["rule"])}, ExitCode.UNKNOWN),
}


@pytest.mark.parametrize("wrong", TABLES)
def test_a_false_table_does_not(wrong: str, trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change, code = TABLES[wrong]
    assert held(trace, table_in(trace, tmp_path / "said", change), capsys)[0] == code


@pytest.mark.parametrize("files", [[], ["junk.parquet"]])
def test_what_is_no_table_is_refused(files: list[str], trace: Path, tmp_path: Path) -> None:
    said = table_in(trace, tmp_path / "said")
    (said / "violations" / "part-0.parquet").unlink()
    for name in files:
        (said / "violations" / name).write_text("junk")
    assert main(["generate", str(trace), "--verify", str(said)]) == ExitCode.UNKNOWN


@pytest.mark.parametrize("named", [".", "report.json"])
def test_a_table_that_is_gone_is_refused(
    named: str, trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the report says of it cannot be held to anything."""
    said = table_in(trace, tmp_path / "said")
    shutil.rmtree(said / "violations")
    assert main(["generate", str(trace), "--verify", str(said / named)]) == ExitCode.UNKNOWN
    assert "no table of violations" in capsys.readouterr().err


def test_the_table_beside_a_file_that_is_named_is_read(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = table_in(trace, tmp_path / "said", TABLES["one is missing"][0])
    assert held(trace, said / "report.json", capsys)[0] == ExitCode.VIOLATED


def test_a_table_of_an_earlier_check_is_not_read(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = table_in(trace, tmp_path / "said", TABLES["one is missing"][0])
    (said / "report.json").write_text(json.dumps(report_of(trace)))
    assert held(trace, said, capsys)[0] == ExitCode.HOLDS


def test_no_table_is_asked_for_where_no_rule_is_in_force(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Spark writes none then."""
    report = report_of(trace) | {"output": "said/violations", "verdict": "unknown", "exit_code": 5}
    report["rules"] = [rule for rule in report["rules"] if rule["standing"] == "not recorded"]
    (tmp_path / "report.json").write_text(json.dumps(report))
    assert held(trace, tmp_path, capsys)[0] == ExitCode.NOTHING_CHECKED


def test_of_a_delta_table_only_its_own_files_are_read(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that a write which failed has left, and one that a later version has no more, are none of the table."""
    said = table_in(trace, tmp_path / "said")
    table = said / "violations"
    first, second = table / "part-0.parquet", table / "part-1.parquet"
    shutil.copy(first, second)
    publish(table)
    assert held(trace, said, capsys)[0] == ExitCode.VIOLATED
    second.rename(tmp_path / "aside")
    publish(table)
    (tmp_path / "aside").rename(second)
    shutil.copy(first, table / "part-2.parquet")
    code, told = held(trace, said, capsys)
    assert code == ExitCode.HOLDS, told


def test_a_delta_table_without_a_file_of_its_own_is_refused(trace: Path, tmp_path: Path) -> None:
    said = table_in(trace, tmp_path / "said")
    publish(said / "violations")
    (said / "violations" / "part-0.parquet").rename(said / "violations" / "part-1.parquet")
    assert main(["generate", str(trace), "--verify", str(said)]) == ExitCode.UNKNOWN


def test_what_is_no_truth_is_refused(trace: Path, tmp_path: Path) -> None:
    (tmp_path / "truth.json").write_text('{"quorate_truth": 99}')
    assert main(["generate", str(tmp_path), "--verify", str(trace.parent / "said")]) == ExitCode.UNKNOWN


@pytest.mark.parametrize("words", [[], ["--events", "10"], ["--events", "15000", "--skew", "2"]])
def test_an_order_that_cannot_be_is_refused(words: list[str], tmp_path: Path) -> None:
    assert main(["generate", str(tmp_path / "trace"), *words]) == ExitCode.USAGE
