"""``quorate simulate --family NAME``: runs of other families than the log, recorded or judged at once."""

from __future__ import annotations

import shlex
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from conformance.cli_parts import Problem, Progress, near
from conformance.cli_simulated import reported
from conformance.cli_texts import bounds_of
from conformance.headings import header_from
from conformance.trace import jsonl, parquet_writing
from conformance.trace.files import is_parquet_name
from reference_impl.simulating.families import simulated, simulated_names
from reference_impl.simulating.simulated import BadOption, Simulated
from spec.verdicts import ExitCode

PROGRAM: Final = "quorate simulate"
RECORDED: Final = "run.jsonl"
"""What reports call a run that was not kept, and the line that records it."""


def listed() -> int:
    """List the families with their options."""
    for one in map(simulated_family, simulated_names()):
        print(f"{one.family}: {one.what}")
        print("    " + " ".join(f"--{name} {default}" for name, default in one.options.items()))
    return ExitCode.HOLDS


def run(arguments: Namespace, only_logs: Mapping[str, object]) -> int:
    """Simulate a run of a family.

    Args:
        arguments: the command line; what is no option of the command is one of the family.
        only_logs: what was said of options that logs have; a family may have one of the same name.

    Raises:
        Problem: there is no such family, mutant or option, or nothing can be simulated so.
    """
    family = simulated_family(arguments.family)
    for name in only_logs.keys() - family.options.keys():
        known = ", ".join(f"--{one}" for one in family.options)
        raise Problem(f"no option --{name} of the family {family.family}", "it is one of logs", known, f"--{name}")
    if arguments.list_mutants:
        print("\n".join(f"{name}: {sentence}" for name, sentence in family.mutants.items()))
        return ExitCode.HOLDS
    mutant: str = arguments.mutant or ""
    if mutant and mutant not in family.mutants:
        why = f"`{PROGRAM} --family {family.family} --list-mutants` lists them"
        raise Problem(f"no mutant {mutant!r}", why, near(mutant, family.mutants, PROGRAM), "--mutant")
    said = {} if arguments.seed is None else {"seed": arguments.seed}
    said |= {name: number for name, number in only_logs.items() if isinstance(number, int)}
    said |= bounds_of(family.options, arguments.bounds, PROGRAM)
    with Progress(quiet=arguments.quiet) as progress:
        progress("simulating")
        if arguments.output:
            count = written(family, said, mutant, Path(arguments.output))
            progress.close()
            line = f"quorate check {shlex.quote(arguments.output)}"
            print(f"{count:,} events written to {arguments.output}; judge them: {line}")
            return ExitCode.HOLDS
        with TemporaryDirectory(prefix="quorate-") as folder:
            path = Path(folder) / RECORDED
            written(family, said, mutant, path)
            return reported(path, arguments, progress, again(family, said, mutant))


def simulated_family(name: str) -> Simulated:
    """What of a family can be simulated.

    Raises:
        Problem: nothing.
    """
    found, known = simulated(name), ("log", *simulated_names())
    if found is None:
        why = f"known are {', '.join(known)}; a package may offer more"
        raise Problem(f"nothing simulates the family {name!r}", why, near(name, known, PROGRAM), "--family")
    return found


def written(family: Simulated, said: Mapping[str, int], mutant: str, target: Path) -> int:
    """Record a run; gives the number of events.

    Raises:
        Problem: nothing can be simulated so.
        TraceError: one of its kinds, if the target cannot be written.
    """
    try:
        heading, events = family.run({**family.options, **said}, mutant)
    except BadOption as error:
        raise Problem("the run cannot be simulated", str(error), "other options") from None
    write = parquet_writing.write_events if is_parquet_name(target) else jsonl.write_events
    return write(target, header_from(heading), events)


def again(family: Simulated, said: Mapping[str, int], mutant: str) -> str:
    """The line to paste that records the same run."""
    words = [*PROGRAM.split(), "--family", family.family]
    words += [part for name, number in said.items() for part in (f"--{name}", str(number))]
    words += ["--mutant", mutant] if mutant else []
    return shlex.join([*words, "--output", RECORDED])
