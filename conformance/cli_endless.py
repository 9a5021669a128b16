"""``quorate explore --check progress``: whether what a text says comes in the end may never come, in a small world."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from conformance.cli_parts import Problem, Progress
from conformance.cli_texts import broken, chosen, pasted, step_lines, trace_json
from spec.language.outcomes import Verdict
from spec.verdicts import EXIT_CODES

if TYPE_CHECKING:
    from reference_impl.kernel.explorer.endless import Endless, Looked
    from spec.language.protocol.world import World

UNUSED = {"symmetry": False, "budget": None, "checkpoint": None, "resume": False, "engine": "auto"}
"""Options that ask for more than the run reading does, and what they are where nobody gives them."""


def run(arguments: Namespace) -> int:
    """Look for a fair run that waits for ever.

    Raises:
        Problem: an option is given that does not apply.
    """
    from reference_impl.kernel.explorer.endless import endless

    for name, usual in UNUSED.items():
        if getattr(arguments, name) != usual:
            raise Problem(
                f"--check progress and --{name}", "every state is kept, one by one", "leave it out", "--check"
            )
    _, world, bounds = chosen(arguments, "quorate explore")
    with Progress(quiet=arguments.quiet) as progress:
        progress(f"looking for what waits for ever in {arguments.text}")
        looked = endless(world)
    if arguments.format == "json":
        print(json.dumps(as_json(world, looked), indent=2))
    else:
        again = pasted("explore", arguments, bounds, ["--check", "progress"])
        print("\n".join(lines(world, looked, again)))
    return EXIT_CODES[verdict(looked)]


def verdict(looked: Looked) -> Verdict:
    """Violated where something waits for ever; holds only where each clause has something to wait for."""
    if looked.endless is not None:
        return Verdict.VIOLATED
    return Verdict.HOLDS if looked.waiting and all(looked.waiting.values()) else Verdict.UNKNOWN


def lines(world: World, looked: Looked, again: str) -> Iterator[str]:
    """What people read."""
    if (found := looked.endless) is not None:
        yield from _run(world, found)
        yield from broken(_said(world, found), found.progress)
        yield f"again: {again}"
    if not looked.waiting:
        yield "the text says of nothing that it comes in the end"
    for name, states in looked.waiting.items():
        yield f"{name}: awaited in {states:,} of {looked.states:,} states"
    yield verdict(looked)


def _run(world: World, found: Endless) -> Iterator[str]:
    every = list(step_lines(world, (*found.way.steps, *found.round)))
    begun = len(list(step_lines(world, found.way.steps)))
    yield from every[:begun]
    yield "then for ever:" if found.round else "then for ever: nothing"
    yield from every[begun:]


def _said(world: World, found: Endless) -> str:
    from spec.language.protocol.states import Step
    from spec.language.protocol.telling import said

    return f"{said(world, Step(found.progress, found.row))} waits for ever: {found.progress.sentence}"


def as_json(world: World, looked: Looked) -> dict[str, Any]:
    """The same for machines."""
    found = looked.endless
    return {
        "verdict": verdict(looked),
        "distinct": looked.states,
        "awaited": dict(looked.waiting),
        "broken": None if found is None else _said(world, found),
        "trace": [] if found is None else trace_json(world, found.way.steps),
        "round": [] if found is None else trace_json(world, (*found.way.steps, *found.round))[len(found.way.steps) :],
    }
