"""Rules on clients are told with the names that others have for what breaks them (``spec.client.anomalies``)."""

from __future__ import annotations

from pathlib import Path

from conformance.check.checking import check
from conformance.check.story import explain
from conformance.trace.open import open_trace
from spec.client.anomalies import ANOMALIES, NOT_ASKED
from spec.pages import rule_page
from spec.registry import BY_ID
from spec.reports import json_form, text
from tests.support.histories import write_trace
from tests.support.history_cases import CASES

LOSS = "client.read.acked_is_delivered"


def test_a_broken_rule_is_told_with_its_name_elsewhere(tmp_path: Path) -> None:
    """In the report, the story, the page of the rule and the JSON form."""
    reports = (check(open_trace(write_trace(tmp_path / f"{case.name}.jsonl", case.history))) for case in CASES)
    report = next(
        one for one in reports if any(said.violations and said.rule.id == LOSS for said in one.verdict.judged)
    )
    (broken,) = (said for said in report.verdict.judged if said.rule.id == LOSS)
    story = explain(open_trace(report.trace), broken.rule, broken.violations[0].key).text
    for told in (text.render(report), story, rule_page(broken.rule), json_form.render(report)):
        assert "lost-write" in told


def test_every_rule_on_clients_has_a_name_elsewhere_but_one() -> None:
    clients = {rule for rule in BY_ID if rule.startswith("client.")}
    assert clients - set(ANOMALIES) == {"client.read.nothing_invented"}
    assert not {one.name for anomalies in ANOMALIES.values() for one in anomalies} & set(NOT_ASKED)
