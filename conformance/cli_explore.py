"""``quorate explore``: every state that a text can reach in a small world, or a shortest run that breaks a goal."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.cli_check import count
from conformance.cli_parts import Commands, Problem, Progress, command, with_output_options
from conformance.cli_texts import broken, chosen, listed, pasted, step_lines, trace_json, with_text
from spec.language.outcomes import Verdict
from spec.verdicts import EXIT_CODES, ExitCode

if TYPE_CHECKING:
    from reference_impl.kernel.explorer.result import Progress as Exploration
    from reference_impl.kernel.explorer.result import Result
    from spec.language.protocol.world import World

ENGINES = ("auto", "numpy", "numba", "run")


MORE = (
    "Bounds are options of the text. Exit code 1 comes with a shortest run that breaks a goal, 2 where the budget "
    "ended before the states did. With --check progress it comes with a fair run that waits for ever."
)


def add(commands: Commands) -> None:
    """Add the command."""
    parser = command(
        commands,
        "explore",
        "explore every state of a protocol text in a small world",
        run,
        example="quorate explore recovery --nodes 3 --replication 2 --slots 1 --recoveries 2 --symmetry",
        more=MORE,
    )
    with_text(parser, "progress")
    parser.add_argument("--symmetry", action="store_true", help="states that differ by exchanging nodes are one")
    parser.add_argument(
        "--engine", choices=ENGINES, default="auto", help="what explores (auto: numpy, then numba if long)"
    )
    parser.add_argument("--budget", type=count, metavar="SECONDS", help="stop after so many CPU seconds")
    parser.add_argument("--checkpoint", metavar="DIR", help="keep what was explored here, after every level")
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint")
    with_output_options(parser, color=False)


def run(arguments: Namespace) -> int:
    """Explore."""
    if arguments.text is None:
        listed()
        return ExitCode.HOLDS
    if arguments.resume and arguments.checkpoint is None:
        raise Problem("nothing to resume", "--resume goes on from a checkpoint", "--checkpoint DIR --resume")
    if arguments.check == "progress":
        from conformance.cli_endless import run as run_endless

        return run_endless(arguments)
    from reference_impl.kernel.explorer.search import explore

    _, world, bounds = chosen(arguments, "quorate explore")
    with ExplorationProgress(quiet=arguments.quiet) as said:
        result = explore(
            world,
            symmetry=arguments.symmetry,
            engine=arguments.engine,
            checked=arguments.check,
            budget_s=arguments.budget,
            checkpoint=None if arguments.checkpoint is None else Path(arguments.checkpoint),
            resume=arguments.resume,
            progress=said.show,
        )
    if arguments.format == "json":
        print(json.dumps(as_json(world, result), indent=2))
    else:
        line = pasted("explore", arguments, bounds, ["--symmetry"] if arguments.symmetry else [])
        print("\n".join(lines(world, result, line)))
    return EXIT_CODES[verdict(result)]


class ExplorationProgress(Progress):
    """Progress of an exploration: states, states a second, the frontier, the depth."""

    def show(self, now: Exploration) -> None:
        """Say how far it is."""
        rate = f"{now.states_per_s / 1e6:.2f} M/CPU-s"
        of = f" of about {now.estimate:,}" if now.estimate else ""
        self(f"{now.distinct:,} states{of}, {rate}, step {now.depth}: {now.expanded:,} of {now.frontier:,}")


def verdict(result: Result) -> Verdict:
    """Violated where a goal breaks; holds only when all states were seen."""
    if result.broken is not None:
        return Verdict.VIOLATED
    return Verdict.HOLDS if result.complete else Verdict.UNKNOWN


def lines(world: World, result: Result, line: str) -> list[str]:
    """What people read."""
    counts = f"{result.distinct:,} distinct states, {result.transitions:,} transitions, depth {result.depth}"
    found = [f"{counts}: {result.cpu_s:.2f} CPU-s, {result.states_per_s / 1e6:.2f} M/CPU-s by {result.engine}"]
    if result.broken is not None and result.trace is not None:
        steps = result.trace.steps
        found = [
            *step_lines(world, steps),
            *broken(result.broken.message, result.broken.clause),
            *found,
            f"again: {line}",
        ]
    elif not result.complete:
        found.append("the budget ended before the states did; --checkpoint DIR keeps them, --resume goes on")
    return [*found, verdict(result)]


def as_json(world: World, result: Result) -> dict[str, Any]:
    """The same for machines."""
    return {
        "verdict": verdict(result),
        "distinct": result.distinct,
        "transitions": result.transitions,
        "depth": result.depth,
        "complete": result.complete,
        "engine": result.engine,
        "cpu_s": round(result.cpu_s, 3),
        "broken": None if result.broken is None else result.broken.message,
        "trace": [] if result.trace is None else trace_json(world, result.trace.steps),
    }
