"""SARIF 2.1.0: rules as its rules, violations as its results; what is unknown is an open result.

Source: OASIS, Static Analysis Results Interchange Format 2.1.0; 3.27.9, kind.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from conformance.forms.told import Told, ToldViolation
from spec.language.outcomes import Verdict
from spec.language.rule import Rule
from spec.verdicts import RuleVerdict, Standing

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"


def render(every: Sequence[Told]) -> str:
    """The document."""
    rules = {said.rule.id: said.rule for told in every for said in told.report.verdict.rules}
    driver = {"name": "quorate", "version": _version(), "rules": [_rule(rule) for rule in rules.values()]}
    results = [result for told in every for result in _results(told)]
    run = {"tool": {"driver": driver}, "results": results, "columnKind": "unicodeCodePoints"}
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False) + "\n"


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.sentence},
        "help": {"text": f"Source: {rule.cite}"},
        "defaultConfiguration": {"level": "error"},
        "properties": {"strength": rule.strength, "promise": rule.promise},
    }


def _results(told: Told) -> Iterator[dict[str, Any]]:
    for one in told.violations:
        yield _violation(told, one)
    for said in told.report.verdict.rules:
        if said.verdict is Verdict.UNKNOWN and said.standing is Standing.JUDGED:
            yield _open(told, said)


def _violation(told: Told, one: ToldViolation) -> dict[str, Any]:
    rule = one.said.rule
    return {
        "ruleId": rule.id,
        "kind": "fail",
        "level": "error",
        "message": {"text": f"{rule.sentence} Broken at {one.place}.\n\n{one.story.text}"},
        "locations": [_location(told, one.place)],
        "occurrenceCount": one.said.in_a_row[one.violation],
        "partialFingerprints": {"row/v1": f"{rule.id} {one.violation.key}"},
        "properties": {"replay": one.replay, "violated": one.said.violated, "judged": one.said.judged},
    }


def _open(told: Told, said: RuleVerdict) -> dict[str, Any]:
    text = f"Unknown: {said.reason or said.rule.sentence}"
    return {
        "ruleId": said.rule.id,
        "kind": "open",
        "level": "none",
        "message": {"text": text},
        "locations": [_location(told, "")],
    }


def _location(told: Told, place: str) -> dict[str, Any]:
    found: dict[str, Any] = {"physicalLocation": {"artifactLocation": {"uri": told.report.trace}}}
    return found | ({"logicalLocations": [{"fullyQualifiedName": place}]} if place else {})


def _version() -> str:
    try:
        return version("quorate")
    except PackageNotFoundError:
        return "unknown"
