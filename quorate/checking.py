"""Checking from Python: a trace, or its lines, and what the rules say of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from conformance.forms.told import Told, told_of
from conformance.trace.errors import Mistyped
from conformance.trace.json_text import encode
from conformance.trace.open import open_trace
from quorate.verdicts import Verdict, Violation
from spec.registry import select
from spec.reports.text import last_line

SHOWN: Final = 3
"""Violations of each rule that a verdict tells."""

SOME_FILE: Final = "TRACE"
"""What stories call a trace that is in no file."""


def check(what: Path | str | Iterable[Mapping[str, Any]], rules: Sequence[str] = (), *, shown: int = SHOWN) -> Verdict:
    """Judge a trace by the rules that are in force for it.

    Args:
        what: a trace in any form, by its path; or its header and its events, as the lines of a trace say them.
        rules: ids of rules, also with ``*`` and ``?``; all of them if there are none.
        shown: how many violations of each rule are told.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with the trace.
        UnknownRule: no rule has one of these ids.
        ColumnsMistake: a value in the trace cannot be judged.
    """
    if isinstance(what, Path | str):
        return _judged(Path(what), str(what), rules, shown)
    with TemporaryDirectory(prefix="quorate-") as folder:
        path = Path(folder) / "trace.jsonl"
        path.write_bytes(b"".join(map(_line, what)))
        verdict = _judged(path, SOME_FILE, rules, shown)
    return replace(verdict, violations=tuple(replace(one, replay="") for one in verdict.violations))


def _judged(path: Path, called: str, rules: Sequence[str], shown: int) -> Verdict:
    told = told_of(open_trace(path), called, select(rules), shown=shown)
    violations, report = tuple(_violations(told)), told.report
    every = report.verdict.rules
    return Verdict(
        outcome=report.verdict.verdict.value,
        violations=violations,
        asked={said.rule.id: said.judged for said in every if said.judged},
        broken={said.rule.id: said.violated for said in every if said.violated},
        reasons={said.rule.id: said.reason for said in every if said.reason},
        notes=report.notes,
        summary=last_line(report),
    )


def _violations(told: Told) -> Iterator[Violation]:
    for one in told.violations:
        witness = told.report.witnesses.get(one.violation)
        yield Violation(
            rule=one.said.rule.id,
            sentence=one.said.rule.sentence,
            source=one.said.rule.cite,
            place=one.place,
            events=() if witness is None else witness.events,
            explanation=one.story.text,
            replay=one.replay,
        )


def _line(said: object) -> bytes:
    if not isinstance(said, Mapping):
        raise Mistyped(f"an event is {said!r:.40}", "each is a mapping, the header first", "as lines of a trace")
    return encode(dict(said)) + b"\n"
