"""Annotations of GitHub: one line for each violation, which its runner shows beside the change.

Source: GitHub, Workflow commands for GitHub Actions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conformance.forms.told import Told
from spec.language.outcomes import Verdict
from spec.reports.text import last_line

_LEVELS = {Verdict.HOLDS: "notice", Verdict.VIOLATED: "error", Verdict.UNKNOWN: "warning"}


def render(every: Sequence[Told]) -> str:
    """The lines."""
    return "".join(f"{line}\n" for told in every for line in _lines(told))


def _lines(told: Told) -> Iterator[str]:
    report = told.report
    for one in told.violations:
        rule = one.said.rule
        message = f"{rule.sentence}\nat {one.place}\n{one.story.text}"
        yield f"::error file={_property(report.trace)},title={_property(rule.id)}::{_data(message)}"
    level = _LEVELS[report.verdict.verdict]
    untold = f" ({told.untold:,} violations are not told here)" if told.untold else ""
    yield f"::{level} file={_property(report.trace)},title=quorate::{_data(last_line(report) + untold)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
