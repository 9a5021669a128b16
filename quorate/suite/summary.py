"""The summary: a table of the guarantees, made from the reports of their tests, whichever process ran them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import pytest

from quorate.suite.guarantees import GUARANTEES

PREFIX: Final = "quorate."
"""What the properties begin with that the suite puts into reports."""

_ORDER: Final = {one.name: place for place, one in enumerate(GUARANTEES)}


def table(reports: Iterable[pytest.TestReport]) -> list[str]:
    """The lines of the table; none where no test of the suite has run."""
    said = {report.nodeid.rpartition("::")[2]: (report, properties_of(report)) for report in reports}
    told = {name: one for name, one in said.items() if "verdict" in one[1]}
    wide = max(map(len, ["guarantee", *told]))
    lines = [f"{'guarantee':{wide}}  verdict    histories  that ask  instances"] if told else []
    for name in sorted(told, key=lambda name: _ORDER.get(name, len(_ORDER))):
        report, found = told[name]
        counts = f"{found.get('histories', ''):>9}  {found.get('asked', ''):>8}  {found.get('instances', ''):>9}"
        lines.append(f"{name:{wide}}  {found['verdict']:9}  {counts}  {_why(report, found)}".rstrip())
    return lines


def properties_of(report: pytest.TestReport) -> Mapping[str, str]:
    """What a test of the suite has put into its report."""
    return {name.removeprefix(PREFIX): str(value) for name, value in report.user_properties if name.startswith(PREFIX)}


def _why(report: pytest.TestReport, found: Mapping[str, str]) -> str:
    if isinstance(report.longrepr, tuple):
        return report.longrepr[2].removeprefix("Skipped: ")
    unasked = found.get("unasked")
    return f"no instance of {unasked.replace(' ', ', ')}" if unasked else found.get("rules", "")
