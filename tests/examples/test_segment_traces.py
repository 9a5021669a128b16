"""The published traces of segment layers: two for each rule, of which the second differs from the first in one thing.

Issue 21: a trace that holds, with an instance of the rule, and one that breaks it. Their verdicts were decided from the
source's sentences (docs/reference/sources/segment-distribution.md); ``--rewrite`` writes the files and their lines in
the index anew.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.check.checking import verdict_of_events
from conformance.cli import main
from conformance.trace.header_json import header_to_json
from spec.language.outcomes import Verdict
from spec.segment.family import SEGMENT
from spec.verdicts import Standing
from tests.support.corpus_of_traces import FOLDER
from tests.support.segment_cases.cases import CASES
from tests.support.segment_cases.recording import Case, Said, recorded
from tests.support.segment_cases.unusual import UNUSUAL, Unusual

INDEX = FOLDER / "index.json"

PUBLISHED = {case.rule: case for case in reversed(CASES)}
"""The first case of each rule."""


def text_of(case: Case, events: list[Said]) -> str:
    """A trace in JSON lines."""
    told = recorded(events)
    head = header_to_json(case.header) | {"end_line": True}
    return "".join(json.dumps(line) + "\n" for line in (head, *told, {"quorate_end": len(told)}))


def published() -> dict[str, tuple[str, dict[str, str]]]:
    """The text of each file, and its entry in the index, by its name there."""
    found = {}
    for rule in (rule.id for rule in SEGMENT.rules):
        case = PUBLISHED[rule]
        for verdict, reason, events in (
            ("holds", case.holds, case.events),
            ("violated", case.broken, case.change(case.events)),
        ):
            name = f"rules/{rule}.{verdict}"
            entry = {"id": name, "file": f"{name}.jsonl", "verdict": verdict, "rule": rule, "reason": reason}
            found[name] = text_of(case, list(events)), entry
    for one in UNUSUAL:
        name = f"unusual/{one.name}"
        entry = {"id": name, "file": f"{name}.jsonl", "verdict": "holds", "rule": one.rule, "reason": one.reason}
        found[name] = text_of(one.case, list(one.events)), entry
    return found


def test_what_is_published_is_what_the_cases_say(request: pytest.FixtureRequest) -> None:
    """Run pytest with --rewrite to renew it."""
    wanted = published()
    if request.config.getoption("--rewrite"):
        others = [entry for entry in json.loads(INDEX.read_text(encoding="utf-8"))["vectors"] if not _is_ours(entry)]
        lines = [json.dumps(entry) for entry in (*others, *(entry for _, entry in wanted.values()))]
        INDEX.write_text('{"vectors": [\n' + ",\n".join(lines) + "\n]}\n", encoding="utf-8")
        for name, (text, _) in wanted.items():
            (FOLDER / f"{name}.jsonl").write_text(text, encoding="utf-8")
    ours = [entry for entry in json.loads(INDEX.read_text(encoding="utf-8"))["vectors"] if _is_ours(entry)]
    assert ours == [entry for _, entry in wanted.values()]
    assert [
        name for name, (text, _) in wanted.items() if Path(FOLDER / f"{name}.jsonl").read_text("utf-8") != text
    ] == []


def _is_ours(entry: dict[str, str]) -> bool:
    return entry["file"].startswith(("rules/segment.", "unusual/segment_"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
def test_one_change_breaks_the_rule(case: Case) -> None:
    """Every rule that is in force holds of the first; of the second the rule does not."""
    for wanted, events in ((Verdict.HOLDS, case.events), (Verdict.VIOLATED, case.change(case.events))):
        found = verdict_of_events(case.header, case.rows(events))
        (mine,) = (one for one in found.rules if one.rule.id == case.rule)
        assert (found.verdict, mine.verdict, mine.standing) == (wanted, wanted, Standing.JUDGED)


@pytest.mark.parametrize("rule", list(PUBLISHED)[::12])
def test_the_command_explains_what_is_broken(rule: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A sample: rules in each of the four orders."""
    assert main(["explain", str(FOLDER / "rules" / f"{rule}.violated.jsonl"), "--rule", rule, "--quiet"]) == 1
    assert capsys.readouterr().out.startswith(f"{rule}: violated\n")


@pytest.mark.parametrize("one", UNUSUAL, ids=lambda one: one.name)
def test_what_is_legal_is_blamed_by_no_rule(one: Unusual) -> None:
    """However strange it looks."""
    found = verdict_of_events(one.case.header, one.case.rows(one.events))
    (mine,) = (judged for judged in found.rules if judged.rule.id == one.rule)
    assert [judged.rule.id for judged in found.judged if judged.verdict is not Verdict.HOLDS] == []
    assert mine.standing is Standing.JUDGED


def test_every_rule_has_a_case() -> None:
    assert {case.rule for case in CASES} == {rule.id for rule in SEGMENT.rules}
