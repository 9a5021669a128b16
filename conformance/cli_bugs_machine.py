"""``quorate bugs NAME --machine``: a known bug in the reference machine, as its smallest run, explained."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from conformance.cli_parts import Problem, Progress
from spec.language.outcomes import Verdict
from spec.verdicts import EXIT_CODES

if TYPE_CHECKING:
    from conformance.check.story import Story
    from reference_impl.known_bugs.reducing import Reduced
    from spec.protocols.known_bugs import KnownBug


def found_in_machine(bug: KnownBug, arguments: Namespace) -> int:
    """Search runs of the bug's mutant, make the shortest small, and explain what it breaks.

    Raises:
        Problem: the machine has no such mutant, or the target cannot be written.
    """
    from reference_impl.known_bugs.reducing import NoViolation, reduce
    from spec.registry import BY_ID

    if not bug.mutant:
        raise Problem(f"{bug.name} is no mutant of the machine", "it is found in its text", "without --machine", "NAME")
    with Progress(quiet=arguments.quiet) as progress:
        progress(f"looking for {bug.name} in runs of {bug.mutant}")
        try:
            reduced = reduce(bug.mutant, BY_ID[bug.rule])
        except NoViolation as missed:
            print(missed)
            return EXIT_CODES[Verdict.UNKNOWN]
    with TemporaryDirectory(prefix="quorate-") as folder:
        path = Path(arguments.output or Path(folder) / "run.jsonl")
        story = story_of(bug, reduced, path)
    if arguments.format == "json":
        print(json.dumps(as_json(bug, reduced, story, kept=bool(arguments.output)), indent=2))
    else:
        print("\n".join(lines(bug, reduced, story, kept=bool(arguments.output))))
    return EXIT_CODES[Verdict.VIOLATED]


def story_of(bug: KnownBug, reduced: Reduced, path: Path) -> Story:
    """Record a run and explain the first violation of the bug's rule in it."""
    from conformance.check.checking import check
    from conformance.check.story import explain
    from conformance.cli_simulate import header_for
    from conformance.trace import jsonl
    from conformance.trace.open import open_trace

    jsonl.write_events(path, header_for(reduced.plan), iter(reduced.events))
    trace = open_trace(path)
    (said,) = (one for one in check(trace, shown=1).verdict.judged if one.rule.id == bug.rule)
    return explain(trace, said.rule, said.violations[0].key)


def lines(bug: KnownBug, reduced: Reduced, story: Story, *, kept: bool) -> Iterator[str]:
    """What people read: the schedule, then the story of what was recorded."""
    from reference_impl.known_bugs.schedule import acts_in_words

    yield f"{bug.name}: {bug.sentence}"
    yield f"the guard that is missing: {bug.guard}"
    yield f"{len(reduced.acts)} acts, none of which can be left out:"
    yield from (f"{number:3}. {act}" for number, act in enumerate(acts_in_words(reduced.acts), 1))
    yield ""
    yield from story_lines(story, kept=kept)
    yield f"{reduced.seeds:,} runs and {reduced.replays:,} parts of some in {reduced.cpu_s:.1f} CPU-s"
    yield Verdict.VIOLATED


def story_lines(story: Story, *, kept: bool) -> list[str]:
    """The story; the line that tells it again only where its trace is kept."""
    return [line for line in story.text.splitlines() if kept or not line.startswith("Replay:")]


def as_json(bug: KnownBug, reduced: Reduced, story: Story, *, kept: bool) -> dict[str, Any]:
    """The same for machines."""
    from reference_impl.known_bugs.schedule import acts_in_words

    return {
        "name": bug.name,
        "verdict": Verdict.VIOLATED,
        "mutant": bug.mutant,
        "rule": bug.rule,
        "seed": reduced.plan.seed,
        "acts": list(acts_in_words(reduced.acts)),
        "events": len(reduced.events),
        "steps_told": len(story.steps),
        "story": story_lines(story, kept=kept),
        "runs": reduced.seeds,
        "replays": reduced.replays,
        "cpu_s": round(reduced.cpu_s, 3),
    }
