"""``quorate walk``: random runs of a protocol text, and a short one that breaks a goal if any does."""

from __future__ import annotations

import json
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from conformance.cli_check import count
from conformance.cli_parts import Commands, Progress, command, with_output_options
from conformance.cli_texts import broken, chosen, listed, pasted, step_lines, trace_json, with_text
from spec.verdicts import ExitCode

if TYPE_CHECKING:
    from reference_impl.kernel.explorer.walk import Walk
    from spec.language.protocol.world import World


def add(commands: Commands) -> None:
    """Add the command."""
    parser = command(
        commands,
        "walk",
        "walk at random through the states of a protocol text",
        run,
        example="quorate walk recovery --variant lowest_wins --recoveries 2 --steps 100000 --seed 1",
        more="A run that breaks a goal is reduced to the steps that it needs. No broken goal is no proof: exit code 2.",
    )
    with_text(parser)
    parser.add_argument("--steps", type=count, default=100_000, metavar="N", help="steps of all walks together")
    parser.add_argument("--seed", type=count, default=0, metavar="N", help="decides the way")
    with_output_options(parser, color=False)


def run(arguments: Namespace) -> int:
    """Walk."""
    if arguments.text is None:
        listed()
        return ExitCode.HOLDS
    from reference_impl.kernel.explorer.walk import walk

    _, world, bounds = chosen(arguments, "quorate walk")
    with Progress(quiet=arguments.quiet) as progress:
        progress(f"walking through {arguments.text}")
        found = walk(world, steps=arguments.steps, seed=arguments.seed, checked=arguments.check)
    if arguments.format == "json":
        print(json.dumps(as_json(world, found), indent=2))
    else:
        again = pasted("walk", arguments, bounds, ["--steps", str(arguments.steps), "--seed", str(arguments.seed)])
        print("\n".join(lines(world, found, again)))
    return ExitCode.UNKNOWN if found.broken is None else ExitCode.VIOLATED


def lines(world: World, found: Walk, again: str) -> list[str]:
    """What people read."""
    counts = f"{found.steps:,} steps in {found.walks:,} walks; again: {again}"
    if found.broken is None or found.trace is None:
        return ["nothing was broken, which proves nothing", counts, "unknown"]
    short = f"made short: {found.found_after} steps became {len(found.trace.steps)}"
    shown = [*step_lines(world, found.trace.steps), *broken(found.broken.message, found.broken.clause)]
    return [*shown, short, counts, "violated"]


def as_json(world: World, found: Walk) -> dict[str, Any]:
    """The same for machines."""
    return {
        "verdict": "unknown" if found.broken is None else "violated",
        "steps": found.steps,
        "walks": found.walks,
        "seed": found.seed,
        "broken": None if found.broken is None else found.broken.message,
        "trace": [] if found.trace is None else trace_json(world, found.trace.steps),
    }
