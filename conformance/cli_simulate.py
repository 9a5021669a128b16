"""``quorate simulate``: a run of the reference machine, correct or with one deviation, recorded or judged at once."""

from __future__ import annotations

import shlex
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from conformance.cli_check import count
from conformance.cli_parts import Commands, Problem, Progress, command, near, with_output_options
from conformance.cli_refine import refined
from spec.verdicts import ExitCode

if TYPE_CHECKING:
    from conformance.trace.header import Header
    from reference_impl.plan import Faults, SimulationPlan

RECORDED = "run.parquet"
"""What reports call a run that was not kept, and the line that records it."""

NUMBERS = {
    "seed": "decides everything else",
    "events": "events at most",
    "logs": "logs; 0: one for every 1500 events",
    "open-logs": "logs that exist at a time",
    "clients": "clients of each log",
    "readers": "times each log is read",
}

OF_LOGS = (
    *("topology", "list-topologies", "replication", "faults", "no-faults", "delivery", "wire"),
    *("variants", "trims", "refine"),
)
"""What only simulated logs can be told, besides numbers."""


def add(commands: Commands) -> None:
    """Add the command."""
    parser = command(
        commands,
        "simulate",
        "run the reference machine; record the run, or judge it at once",
        run,
        example="quorate simulate --seed 7 --events 50000 --mutant lone_copy_dropped --output run.parquet",
        more="The same options give the same events to the byte.",
    )
    parser.add_argument(
        "--family", metavar="NAME", default="log", help="what is simulated: log (the default), or another"
    )
    parser.add_argument("--list-families", action="store_true", help="list the other families, with their options")
    for name, about in NUMBERS.items():
        parser.add_argument(f"--{name}", type=count, metavar="N", help=about)
    parser.add_argument("--topology", metavar="NAME", help="where nodes are: racks6 (the default), or one of the list")
    parser.add_argument("--list-topologies", action="store_true", help="list the topologies, with what they suit")
    parser.add_argument(
        "--replication", metavar="SCOPE=N,...", help="copies across location scopes, such as node=3,rack=2"
    )
    parser.add_argument(
        "--faults",
        metavar="WHICH",
        help="usual (the default), every, none, or names such as crash,wipe with the rates that they have in every",
    )
    parser.add_argument(
        "--no-faults", action="store_true", help="nothing goes wrong; messages still overtake each other"
    )
    parser.add_argument(
        "--delivery",
        metavar="WHO,...",
        help="who sends records to readers: all_send_all (the default), single_copy, local; logs take turns",
    )
    parser.add_argument(
        "--wire", action="store_true", help="record also what readers ask of nodes, and what these send"
    )
    parser.add_argument(
        "--variants",
        metavar="NAME,...",
        help="what the machine does besides: soft_seals, sticky, purging, compressed, regions, nearest, pipelined, "
        "extras, amends, greylist, metadata_log, write_streams, graceful, shipped_purges",
    )
    parser.add_argument("--trims", type=count, metavar="MS", help="some log is trimmed every so many milliseconds")
    parser.add_argument("--mutant", metavar="NAME", help="one deviation from the protocol")
    parser.add_argument("--list-mutants", action="store_true", help="list the deviations")
    parser.add_argument(
        "--refine",
        action="store_true",
        help="hold each step to the proved texts of epochs and of delivery",
    )
    parser.add_argument("--output", metavar="TRACE", help="where to record it; without it, the run is judged")
    with_output_options(parser)
    parser.set_defaults(takes_bounds=True)


def run(arguments: Namespace) -> int:
    """Simulate."""
    if arguments.list_families or arguments.family != "log":
        from conformance.cli_simulate_family import listed
        from conformance.cli_simulate_family import run as run_family

        return listed() if arguments.list_families else run_family(arguments, only_of_logs(arguments))
    arguments.parser.refuse_rest(arguments.bounds)
    from reference_impl.mutants import MUTANTS

    if arguments.list_mutants:
        for name, mutant in MUTANTS.items():
            print(f"{name}: {mutant.sentence}")
        return ExitCode.HOLDS
    if arguments.list_topologies:
        print("\n".join(topologies()))
        return ExitCode.HOLDS
    if arguments.mutant and arguments.mutant not in MUTANTS:
        advice = near(arguments.mutant, MUTANTS, "quorate simulate")
        raise Problem(
            f"no mutant {arguments.mutant!r}", "`quorate simulate --list-mutants` lists them", advice, "--mutant"
        )
    plan = plan_of(arguments)
    with Progress(quiet=arguments.quiet) as progress:
        if arguments.refine:
            return refined(plan, arguments, progress)
        return recorded(plan, arguments, progress) if arguments.output else judged(plan, arguments, progress)


def only_of_logs(arguments: Namespace) -> dict[str, object]:
    """What was said of options that other families do not have."""
    names = [*NUMBERS.keys() - {"seed"}, *OF_LOGS]
    said = {name: getattr(arguments, name.replace("-", "_")) for name in names}
    return {name: value for name, value in said.items() if value not in (None, False)}


def plan_of(arguments: Namespace) -> SimulationPlan:
    """The plan that the options make; what they leave open is as the mutant's setting has it.

    Raises:
        Problem: it cannot be simulated.
    """
    from dataclasses import replace

    from reference_impl.kernel.faults import Rate
    from reference_impl.mutants import mutant_named
    from reference_impl.plan import MILLISECOND, REPLICATIONS, TOPOLOGIES, BadPlan, SimulationPlan

    names = ("seed", "events", "logs", "open_logs", "clients", "readers")
    said: dict[str, Any] = {name: getattr(arguments, name) for name in names if getattr(arguments, name) is not None}
    if arguments.topology is not None:
        if arguments.topology not in TOPOLOGIES:
            advice = near(arguments.topology, TOPOLOGIES, "quorate simulate")
            raise Problem(
                f"no topology {arguments.topology!r}", f"known: {', '.join(TOPOLOGIES)}", advice, "--topology"
            )
        said |= {"topology": TOPOLOGIES[arguments.topology], "replication": REPLICATIONS[arguments.topology]}
    if arguments.replication is not None:
        said["replication"] = replication_of(arguments.replication)
    if arguments.no_faults or arguments.faults is not None:
        said["faults"] = faults_of("none" if arguments.no_faults else arguments.faults)
    if arguments.delivery is not None:
        said["delivery"] = tuple(arguments.delivery.split(","))
    if arguments.wire:
        said["on_the_wire"] = True
    if arguments.variants is not None:
        said["variants"] = tuple(arguments.variants.split(","))
    if arguments.trims:
        said["trims"] = Rate(arguments.trims * MILLISECOND)
    try:
        usual = SimulationPlan()
        return replace(mutant_named(arguments.mutant).plan(usual) if arguments.mutant else usual, **said)
    except BadPlan as error:
        raise Problem("the run cannot be simulated", str(error), "other options") from None


def faults_of(text: str) -> Faults:
    """What is to go wrong, as people write it.

    Raises:
        Problem: there is no such fault.
    """
    from reference_impl.plan import EVERY_FAULT, FAULTS, NO_FAULTS, Faults

    if text in (sets := {"usual": Faults(), "every": EVERY_FAULT, "none": NO_FAULTS}):
        return sets[text]
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in FAULTS:
            advice = near(name, (*FAULTS, *sets), "quorate simulate")
            raise Problem(f"no fault {name!r}", f"known: {', '.join((*sets, *FAULTS))}", advice, "--faults")
    return Faults(NO_FAULTS.weather, {name: EVERY_FAULT.rates[name] for name in names}, corrupt=0.0)


def topologies() -> list[str]:
    """A line for each topology."""
    from reference_impl.plan import REPLICATIONS, TOPOLOGIES

    said = {name: ",".join(f"{scope}={n}" for scope, n in REPLICATIONS[name].items()) for name in TOPOLOGIES}
    return [f"{name}: {len(cluster.locations)} shards, {said[name]}" for name, cluster in TOPOLOGIES.items()]


def replication_of(text: str) -> dict[str, int]:
    """A replication property as people write it.

    Raises:
        Problem: it is none.
    """
    found = {}
    for part in text.split(","):
        scope, _, copies = part.partition("=")
        if not copies.isdecimal():
            raise Problem(
                f"replication {text!r}", f"{part!r} is not a scope and a number", "node=3,rack=2", "--replication"
            )
        found[scope.strip()] = int(copies)
    return found


def header_for(plan: SimulationPlan) -> Header:
    """The trace's header for a plan."""
    from conformance.headings import header_from
    from reference_impl.heading import header_of

    return header_from(header_of(plan))


def written(plan: SimulationPlan, output: str, progress: Progress) -> tuple[int, str]:
    """Record a run; gives the number of events, and how often each fault struck.

    Raises:
        TraceError: one of its kinds, if the target cannot be written.
    """
    from collections.abc import Iterator
    from pathlib import Path

    from conformance.trace import jsonl, parquet_writing
    from conformance.trace.files import is_parquet_name
    from reference_impl.environment.nemesis import fault_counts
    from reference_impl.simulate import directed

    director, run = directed(plan)

    def events() -> Iterator[dict[str, Any]]:
        for done, event in enumerate(run):
            if not done % 1024:
                progress("simulating", done, plan.events)
            yield event

    target = Path(output)
    write = parquet_writing.write_events if is_parquet_name(target) else jsonl.write_events
    count = write(target, header_for(plan), events())
    return count, fault_counts(director.nemesis.struck, plan.faults.rates)


def recorded(plan: SimulationPlan, arguments: Namespace, progress: Progress) -> int:
    """Record a run and say how to judge it."""
    count, struck = written(plan, arguments.output, progress)
    progress.close()
    if struck:
        print(f"Faults: {struck}")
    print(f"{count:,} events written to {arguments.output}; judge them: quorate check {shlex.quote(arguments.output)}")
    return ExitCode.HOLDS


def replay(arguments: Namespace) -> str:
    """The line to paste that records the same run."""
    others = ("topology", "replication", "faults", "delivery", "variants", "trims", "mutant")
    words = ["quorate", "simulate"]
    for name in (*(name.replace("-", "_") for name in NUMBERS), *others):
        value = getattr(arguments, name)
        if value is not None:
            words += [f"--{name.replace('_', '-')}", str(value)]
    words += [word for word, said in (("--no-faults", arguments.no_faults), ("--wire", arguments.wire)) if said]
    return shlex.join([*words, "--output", RECORDED])


def judged(plan: SimulationPlan, arguments: Namespace, progress: Progress) -> int:
    """Judge a run without keeping it."""
    from pathlib import Path
    from tempfile import TemporaryDirectory

    from conformance.cli_simulated import reported

    with TemporaryDirectory(prefix="quorate-") as folder:
        path = Path(folder) / RECORDED
        _, struck = written(plan, str(path), progress)
        return reported(path, arguments, progress, replay(arguments), *([f"Faults: {struck}"] if struck else []))
