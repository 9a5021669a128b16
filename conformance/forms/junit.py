"""JUnit: each trace is a suite, each rule a test; a violation fails it, and what is not known is skipped.

Source: the form that pytest writes, and readers of it take.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as ET

from conformance.forms.told import Told
from spec.language.outcomes import Verdict
from spec.reports.report import chapter_of
from spec.verdicts import RuleVerdict


def render(every: Sequence[Told]) -> str:
    """The document."""
    root = ET.Element("testsuites", name="quorate")
    for told in every:
        _suite(root, told)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _suite(root: ET.Element, told: Told) -> None:
    rules = told.report.verdict.rules
    counts = {
        "tests": len(rules),
        "failures": sum(said.verdict is Verdict.VIOLATED for said in rules),
        "skipped": sum(said.verdict is Verdict.UNKNOWN for said in rules),
        "errors": 0,
    }
    suite = ET.SubElement(
        root, "testsuite", attrib={"name": told.report.trace, **{name: str(n) for name, n in counts.items()}}
    )
    properties = ET.SubElement(suite, "properties")
    for name in ("verdict", "system", "engine"):
        value = told.report.verdict.verdict.value if name == "verdict" else getattr(told.report, name)
        ET.SubElement(properties, "property", name=f"quorate.{name}", value=_clean(value))
    for said in rules:
        _case(suite, told, said)


def _case(suite: ET.Element, told: Told, said: RuleVerdict) -> None:
    case = ET.SubElement(suite, "testcase", classname=chapter_of(said.rule), name=said.rule.id)
    if said.verdict is Verdict.VIOLATED:
        stories = [one.story.text for one in told.violations if one.said is said]
        message = f"{said.rule.sentence} Violated {said.violated:,} of {said.judged:,} times."
        ET.SubElement(case, "failure", message=message, type=said.rule.id).text = _clean("\n".join(stories))
    elif said.verdict is Verdict.UNKNOWN:
        ET.SubElement(case, "skipped", message=_clean(f"unknown: {said.reason}"))


def _clean(text: str) -> str:
    """A text without the characters that XML cannot have."""
    return "".join(one if one.isprintable() or one in "\t\n" else "\ufffd" for one in text)
