"""The report as one JSON object for machines, and the object that says why there is no report."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, Final

from spec.language.outcomes import Verdict, Violation
from spec.registry import family_of
from spec.reports.names import key_text
from spec.reports.report import Report, chapter_of, settings_said
from spec.verdicts import ExitCode, RuleVerdict

FORM: Final = "1.0"
"""Version of the object's form; a minor version only adds fields."""

SCHEMA: Final = files("spec.reports").joinpath("report.schema.json")
"""The JSON Schema of the object, and of several."""


def to_object(report: Report) -> dict[str, Any]:
    """The report as plain values."""
    return {
        "quorate_report": FORM,
        "verdict": report.verdict.verdict.value,
        "exit_code": int(report.verdict.exit_code),
        "trace": report.trace,
        "system": report.system,
        "engine": report.engine,
        "events": report.events,
        "settings": settings_said([said.rule for said in report.verdict.rules], report.promises),
        "notes": list(report.notes),
        "output": report.output or None,
        "rules": [_rule(report, said) for said in report.verdict.rules],
    }


def render(report: Report) -> str:
    """The report as JSON text."""
    return json.dumps(to_object(report), indent=2, ensure_ascii=False) + "\n"


def render_all(reports: Sequence[Report]) -> str:
    """Several reports as JSON text, one object beside the other."""
    said = {"quorate_reports": FORM, "reports": [to_object(report) for report in reports]}
    return json.dumps(said, indent=2, ensure_ascii=False) + "\n"


def render_failure(trace: str, error: Mapping[str, str]) -> str:
    """The object for a trace that could not be judged: its verdict is unknown.

    Args:
        trace: the trace's path, as it was given.
        error: ``name``, ``what``, ``where``, ``why`` and ``try``.
    """
    said = {
        "quorate_report": FORM,
        "verdict": Verdict.UNKNOWN.value,
        "exit_code": int(ExitCode.UNKNOWN),
        "trace": trace,
        "error": dict(error),
        "rules": [],
    }
    return json.dumps(said, indent=2, ensure_ascii=False) + "\n"


def _rule(report: Report, said: RuleVerdict) -> dict[str, Any]:
    rule = said.rule
    return {
        "id": rule.id,
        "chapter": chapter_of(rule),
        "verdict": said.verdict.value,
        "standing": said.standing.value,
        "judged": said.judged,
        "violated": said.violated,
        "unknown": said.unknown,
        "reason": said.reason,
        "sentence": rule.sentence,
        "cite": rule.cite,
        "known_as": [one.name for one in family_of(rule.view).prose.anomalies.get(rule.id, ())],
        "promise": rule.promise,
        "strength": rule.strength,
        "variant": rule.variant,
        "violations": [_violation(report, said, violation) for violation in said.violations],
    }


def _violation(report: Report, said: RuleVerdict, violation: Violation) -> dict[str, Any]:
    view = said.rule.view
    found: dict[str, Any] = {
        "row": dict(zip(view.key, violation.key, strict=True)),
        "key": key_text(view, violation.key, report.names),
        "in_a_row": said.in_a_row[violation],
    }
    witness = report.witnesses.get(violation)
    if witness is not None:
        found |= {
            "expected": witness.expected,
            "seen": dict(witness.seen),
            "told": list(witness.told),
            "events": [dict(event) for event in witness.events],
        }
    return found
