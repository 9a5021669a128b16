"""Each form tells the verdict, the rule, the place, the story and the line that tells it again, and is well formed.

Justified by docs/how-to/judge-your-own-log.md, Hand it on; JUnit as pytest writes it; SARIF 2.1.0; GitHub, Workflow
commands; Mermaid, Sequence diagrams.
"""

from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from conformance.forms import github, html, junit, mermaid, sarif
from conformance.forms.told import Told, told_of
from conformance.trace.open import open_trace
from tests.support.corpus_of_traces import FOLDER

RULE = "client.append.client_order"


@pytest.fixture(scope="module")
def told() -> Told:
    """Give what is told of a small trace that breaks a rule; its name has what forms must escape."""
    found = told_of(open_trace(FOLDER / "broken" / "client_order.jsonl"), "<a> & b,c:1.jsonl")
    assert [one.said.rule.id for one in found.violations] == [RULE]
    return found


class Tags(HTMLParser):
    """The tags of a page, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags, self.text = list[str](), ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert not any(name in ("src", "href") and not (value or "").startswith("#") for name, value in attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_page_of_html_needs_nothing_else_and_shows_everything(told: Told) -> None:
    page = Tags(html.render([told]))
    one = told.violations[0]
    assert {"svg", "circle", "ol", "table", "input"} <= set(page.tags)
    for said in ("<a> & b,c:1.jsonl", one.replay, one.place, one.said.rule.sentence, one.said.rule.cite):
        assert said in page.text
    assert all(sentence in page.text for _, sentence in one.story.told)
    assert all(said.rule.id in page.text for said in told.report.verdict.rules)
    assert "more violations" not in page.text


def test_what_is_not_told_is_counted(told: Told) -> None:
    silent = replace(told, violations=())
    assert silent.untold == 1
    assert "1 more violations are counted below" in html.render([silent])
    assert "(1 violations are not told here)" in github.render([silent])


def test_no_more_are_told_than_a_page_can_bear(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = open_trace(FOLDER.parent / "track-record" / "nats-split-brain.jsonl")
    whole = told_of(trace, "t.jsonl")
    assert len({one.said.rule.id for one in whole.violations}) == 3
    monkeypatch.setattr("conformance.forms.told.STORIES_MAX", 2)
    cut = told_of(trace, "t.jsonl")
    assert len(cut.violations) == 2
    assert cut.untold == 1
    assert cut.report.verdict == whole.report.verdict


def test_junit_fails_what_is_violated_and_skips_what_is_unknown(told: Told) -> None:
    (suite,) = ET.fromstring(junit.render([told]))  # noqa: S314 - it is ours
    cases = {case.get("name"): case for case in suite.iter("testcase")}
    assert len(cases) == int(suite.get("tests") or 0) == len(told.report.verdict.rules)
    failure = cases[RULE].find("failure")
    assert failure is not None
    assert told.violations[0].replay in (failure.text or "")
    skipped = [case for case in cases.values() if case.find("skipped") is not None]
    assert len(skipped) == int(suite.get("skipped") or 0) > 0


def test_sarif_names_rules_places_and_what_is_open(told: Told) -> None:
    (run,) = json.loads(sarif.render([told, told]))["runs"]
    ids = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(ids) == len(set(ids)) == len(told.report.verdict.rules)
    failed = [result for result in run["results"] if result["kind"] == "fail"]
    assert [result["ruleId"] for result in failed] == [RULE, RULE]
    assert failed[0]["properties"]["replay"] == told.violations[0].replay
    assert {result["kind"] for result in run["results"]} <= {"fail", "open"}
    assert all(result["level"] == "none" for result in run["results"] if result["kind"] == "open")


def test_annotations_stand_on_one_line_each(told: Told) -> None:
    first, last = github.render([told]).splitlines()
    assert first.startswith(f"::error file=<a> & b%2Cc%3A1.jsonl,title={RULE}::Of two appends")
    assert "%0A" in first
    assert last.startswith("::error file=<a> & b%2Cc%3A1.jsonl,title=quorate::verdict: violated")


def test_mermaid_draws_each_mark_in_its_lane(told: Told) -> None:
    lines = mermaid.render([told]).splitlines()
    lanes = [line for line in lines if line.startswith("    participant ")]
    notes = [line for line in lines if line.startswith("    Note over ")]
    assert lines[2:4] == ["```mermaid", "sequenceDiagram"]
    assert lanes
    assert len(notes) == sum(len(step) for step in told.violations[0].story.steps)


def test_a_trace_that_holds_has_no_stories(tmp_path: Path) -> None:
    holding = told_of(open_trace(FOLDER / "rules" / "client.append.client_order.holds.jsonl"), "t.jsonl")
    assert holding.violations == ()
    assert "None that could be seen" in html.render([holding])
    assert github.render([holding]).startswith("::notice file=t.jsonl")
