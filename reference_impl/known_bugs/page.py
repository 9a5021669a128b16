"""The page of known bugs, in Markdown: each with its shortest run as a story, and what the right text does instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from reference_impl.kernel.explorer.result import Result
from reference_impl.known_bugs.finding import Found
from spec.language.protocol.telling import run, said
from spec.protocols.known_bugs import KNOWN_BUGS, KnownBug

INTRODUCTION: Final = """\
# Known bugs

Defects that replicated logs had, or have if one guard is missing. Each is a form of a protocol text without that guard;
breadth-first search finds the shortest run that breaks a goal, and the text with the guard keeps all its goals in the
same small world. Find one yourself: `quorate bugs NAME`.
"""


def page(found: Mapping[str, Found], right: Mapping[str, Result]) -> str:
    """The whole page: by name each bug as it was found, and what became of the right text in the same world."""
    return "\n".join([INTRODUCTION, *(line for name in KNOWN_BUGS for line in _section(found[name], right[name]))])


def _section(found: Found, right: Result) -> Iterator[str]:
    bug = found.bug
    yield from (f"## {bug.name}", "", bug.sentence, "", f"The guard: {bug.guard} *{bug.cite}.*", "")
    yield from (story(found), "", f"{parted(found)} {clean(right)}", "")
    if bug.mutant:
        yield (
            f"The reference machine has it as the mutant `{bug.mutant}`, which `{bug.rule}` notices; "
            f"`quorate bugs {bug.name} --machine` finds and explains its smallest run."
        )
        yield ""
    yield from (f"`{again(bug)}`: {found.distinct:,} states.", "")


def story(found: Found) -> str:
    """The run as a numbered list, each step with what it changes, and the goal that is broken at its end."""
    told = enumerate(run(found.world, found.trace.steps), 1)
    steps = [f"{number}. `{said(found.world, one.step)}`: {'; '.join(one.changes)}." for number, one in told]
    clause = found.broken.clause
    return "\n".join([*steps, "", f"Broken is `{clause.name}`: {clause.sentence}"])


def parted(found: Found) -> str:
    """What the right text does instead."""
    if found.parting == len(found.trace.steps):
        return f"The right text: {found.why}."
    return f"At step {found.parting + 1} the right text parts from it: {found.why.rstrip('.')}."


def clean(result: Result) -> str:
    """How far the right text was explored, and that it breaks nothing there."""
    if result.broken is not None:
        return f"It breaks {result.broken.message}"
    reached = "all its states" if result.complete else f"all runs of up to {result.depth - 1} steps"
    return f"It keeps all its goals in {reached} ({result.distinct:,} states)."


def again(bug: KnownBug) -> str:
    """The line that explores the same."""
    bounds = [f"--{name.replace('_', '-')} {number}" for name, number in bug.bounds.items()]
    words = ["quorate explore", bug.text, f"--variant {bug.variant}", f"--goal {bug.breaks}", *bounds, "--symmetry"]
    return " ".join(words)
