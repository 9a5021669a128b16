"""``quorate bugs``: known bugs, each found again by search and told as a story."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from conformance.cli_bugs_machine import found_in_machine
from conformance.cli_check import count
from conformance.cli_parts import Commands, Problem, Progress, command, with_output_options
from conformance.cli_texts import broken, step_lines, trace_json
from spec.language.outcomes import Verdict
from spec.verdicts import EXIT_CODES, ExitCode

if TYPE_CHECKING:
    from reference_impl.known_bugs.finding import Found
    from spec.protocols.known_bugs import KnownBug


def add(commands: Commands) -> None:
    """Add the command."""
    parser = command(
        commands,
        "bugs",
        "find known bugs of replicated logs again, each as a shortest run",
        run,
        example="quorate bugs straggler-serves",
        more="Without names it lists them. Exit code 1 comes with a run that breaks a goal, 2 where none was found.",
    )
    parser.add_argument("names", metavar="NAME", nargs="*", help="a known bug")
    parser.add_argument("--all", action="store_true", help="all of them")
    parser.add_argument("--machine", action="store_true", help="in the reference machine: its smallest run, explained")
    parser.add_argument("--output", metavar="TRACE", help="with --machine: where to record that run, as JSON lines")
    parser.add_argument("--budget", type=count, metavar="SECONDS", help="CPU seconds for each (60)")
    with_output_options(parser, color=False)


def run(arguments: Namespace) -> int:
    """Find what is named."""
    from spec.protocols.known_bugs import KNOWN_BUGS, bug

    if arguments.all and arguments.names:
        raise Problem("names and --all", "--all finds every known bug", "one of both", "--all")
    wanted = list(KNOWN_BUGS.values()) if arguments.all else [bug(name) for name in arguments.names]
    if arguments.machine:
        if len(wanted) != 1:
            raise Problem("--machine takes one bug", "each takes some seconds", "quorate bugs NAME --machine", "NAME")
        return found_in_machine(wanted[0], arguments)
    if arguments.output:
        raise Problem("nothing is recorded of a text", "a run of the machine can be", "--machine", "--output")
    if not wanted:
        if arguments.format == "json":
            print(json.dumps([about(one) for one in KNOWN_BUGS.values()], indent=2))
        else:
            print("\n".join(f"{one.name}: {one.sentence}" for one in KNOWN_BUGS.values()))
        return ExitCode.HOLDS
    with Progress(quiet=arguments.quiet) as progress:
        results = list(searched(wanted, arguments, progress))
    if arguments.format == "json":
        print(json.dumps([as_json(one, found, why) for one, found, why in results], indent=2))
    else:
        print("\n".join(line for one, found, why in results for line in lines(one, found, why)))
    missing = any(found is None for _, found, _ in results)
    return EXIT_CODES[Verdict.UNKNOWN if missing else Verdict.VIOLATED]


def searched(
    wanted: list[KnownBug], arguments: Namespace, progress: Progress
) -> Iterator[tuple[KnownBug, Found | None, str]]:
    """Each bug with its run, or with why it was not found."""
    from reference_impl.known_bugs.finding import BUDGET_S, NotFound, find

    for done, one in enumerate(wanted):
        progress(f"looking for {one.name}", done, len(wanted))
        try:
            yield one, find(one, BUDGET_S if arguments.budget is None else arguments.budget), ""
        except NotFound as missed:
            yield one, None, str(missed)


def lines(bug: KnownBug, found: Found | None, why: str) -> Iterator[str]:
    """What people read."""
    from reference_impl.known_bugs.page import again, parted

    yield f"{bug.name}: {bug.sentence}"
    yield f"the guard that is missing: {bug.guard}"
    yield f"     {bug.cite}"
    if found is None:
        yield from (why, Verdict.UNKNOWN)
        return
    yield from step_lines(found.world, found.trace.steps)
    yield from broken(found.broken.message, found.broken.clause)
    yield parted(found)
    yield f"{found.distinct:,} states in {found.cpu_s:.2f} CPU-s; again: {again(bug)}"
    yield Verdict.VIOLATED


def about(bug: KnownBug) -> dict[str, Any]:
    """A bug for machines."""
    names = ("name", "sentence", "guard", "cite", "text", "variant", "breaks", "mutant", "rule")
    return {name: getattr(bug, name) for name in names} | {"bounds": dict(bug.bounds)}


def as_json(bug: KnownBug, found: Found | None, why: str) -> dict[str, Any]:
    """What was found for machines."""
    if found is None:
        return about(bug) | {"verdict": Verdict.UNKNOWN, "why": why}
    return about(bug) | {
        "verdict": Verdict.VIOLATED,
        "trace": trace_json(found.world, found.trace.steps),
        "broken": found.broken.message,
        "parts_at": found.parting + 1,
        "parts_why": found.why,
        "distinct": found.distinct,
        "cpu_s": round(found.cpu_s, 3),
    }
