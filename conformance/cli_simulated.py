"""What becomes of a simulated run that is not kept: it is judged, below the line that records it."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from pathlib import Path

from conformance.check.checking import check
from conformance.cli_parts import Progress, is_coloured
from conformance.trace.open import open_trace
from spec.reports import json_form, text


def reported(path: Path, arguments: Namespace, progress: Progress, line: str, *more: str) -> int:
    """Judge a run that is not kept, and report that below the line that records it."""
    report = replace(check(open_trace(path), progress=progress), trace=path.name)
    progress.close()
    if arguments.format == "json":
        print(json_form.render(report), end="")
        return report.verdict.exit_code
    print("\n".join([f"Record this run: {line}", *more]))
    paint = text.coloured if is_coloured(arguments.color) else text.plain
    print(text.render(report, paint), end="")
    return report.verdict.exit_code
