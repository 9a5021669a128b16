"""``quorate check --follow``: a growing file is judged again whenever it has grown."""

from __future__ import annotations

from argparse import Namespace
from datetime import datetime
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Final

from conformance.cli_parts import is_coloured
from spec.verdicts import ExitCode

if TYPE_CHECKING:
    from spec.language.rule import Rule

LOOKS_S: Final = 0.5
"""How long it waits before it looks again."""


def follow(arguments: Namespace, rules: list[Rule]) -> int:
    """Tell the verdict whenever it may have changed; gives the exit code of the last one.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with the trace.
    """
    from conformance.check.checking import check
    from conformance.check.following import growing
    from conformance.trace.open import open_trace
    from spec.reports import text

    code, broken = ExitCode.NOTHING_CHECKED, set[str]()
    paint = text.coloured if is_coloured(arguments.color) else text.plain
    for path in growing(Path(arguments.traces[0]), lambda: Event().wait(LOOKS_S)):
        report = check(open_trace(path), rules, arguments.engine, shown=0)
        now = datetime.now().astimezone().time().isoformat("seconds")
        print(f"{now}  {report.events or 0:,} events  {text.last_line(report, paint)}", flush=True)
        for said in report.verdict.judged:
            if said.violated and said.rule.id not in broken:
                broken.add(said.rule.id)
                print(f"          {said.rule.id}: {said.rule.sentence}", flush=True)
        code = report.verdict.exit_code
    return code
