"""Telling: what a person reads of a guarantee that a log has broken, with a trace left behind and a line to paste."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from conformance.trace.jsonl import write_events
from quorate.checking import check
from quorate.suite.guarantees import Guarantee
from quorate.suite.judging import Broken, Findings
from quorate.suite.steps import text_of
from spec.registry import BY_ID


class GuaranteeBroken(AssertionError):
    """A log has broken a guarantee; the text tells how."""


class NothingAsked(AssertionError):
    """Nothing was judged of what a guarantee is about, though histories ask for it: that is no pass."""


def broken_guarantee(guarantee: Guarantee, broken: Broken, *, trace: Path, command: str, seed: str) -> GuaranteeBroken:
    """The failure of a guarantee; leaves the trace of its history.

    Args:
        guarantee: what is broken.
        broken: by which history.
        trace: the file that is written.
        command: how pytest is started on this log.
        seed: what decided the histories.

    Raises:
        NotWritable: the trace cannot be written.
    """
    trace.parent.mkdir(parents=True, exist_ok=True)
    write_events(trace, broken.ran.header, broken.ran.events)
    again = [f"Again:    {command} --quorate-steps {shlex.quote(text_of(broken.ran.plan))}"]
    if broken.found:
        again.append(f"Searched: {command} --quorate-seed {seed} -k {guarantee.name}")
    stories = [violation.explanation for violation in check(trace, broken.rules, shown=1).violations[:1]]
    left = f"Trace:    {trace}, {len(broken.ran.lines)} events"
    return GuaranteeBroken("\n".join([*_heading(guarantee, broken, seed), "", *stories, left, *again]))


def _heading(guarantee: Guarantee, broken: Broken, seed: str) -> Iterator[str]:
    yield f"{guarantee.name}: {guarantee.sentence}"
    yield from (f"  {rule} is violated. {BY_ID[rule].sentence}" for rule in broken.rules)
    yield ""
    of = f" (history {broken.number + 1} of seed {seed}, {len(broken.found)} steps, made smaller)"
    yield f"What was done{of if broken.found else ''}:"
    yield from (f"  {step}" for step in broken.ran.plan)


def nothing_asked(guarantee: Guarantee, findings: Findings) -> str:
    """Why nothing is known of a guarantee."""
    if not findings.asked:
        return f"unknown: in none of {findings.histories} histories {guarantee.asked_by}"
    if guarantee.never_shown:
        return f"unknown: nothing breaks it in {findings.asked} histories, but {guarantee.never_shown}"
    return f"unknown: none of {findings.asked} histories has an instance of {', '.join(guarantee.rules)}"
