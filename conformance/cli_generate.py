"""``quorate generate``: a trace of any size with planted violations, told in a file to which reports can be held."""

from __future__ import annotations

import shlex
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.cli_check import count
from conformance.cli_parts import Commands, Problem, Progress, command, with_output_options
from spec.verdicts import ExitCode

if TYPE_CHECKING:
    from conformance.generate.generating import Doer
    from conformance.generate.ordering import Order
    from conformance.generate.verifying import Verified

LAYOUTS = ("sorted", "time")


def add(commands: Commands) -> None:
    """Add the command."""
    parser = command(
        commands,
        "generate",
        "write a trace of any size with planted violations, and a file that tells them all",
        run,
        example="quorate generate big --events 10000000 --seed 7 --spark",
        more="It is made of copies of simulated runs, correct and with one deviation each, with numbers of their own. "
        "The same options give the same files to the byte, with and without Spark.",
    )
    parser.add_argument("folder", metavar="DIR", help="a new folder for Parquet files and truth.json")
    parser.add_argument("--events", type=count, metavar="N", help="how many, about: 15000 at least")
    parser.add_argument("--seed", type=count, default=0, metavar="N", help="decides everything else (0)")
    parser.add_argument(
        "--layout", choices=LAYOUTS, default="sorted", help="sorted by log, LSN and seq (the default), or by time"
    )
    parser.add_argument(
        "--skew", type=float, default=0.0, metavar="SHARE", help="one log has this share of all events, such as 0.5"
    )
    parser.add_argument(
        "--mutants", type=count, default=0, metavar="N", help="runs with violations; 0: one of each mutant, if they fit"
    )
    parser.add_argument(
        "--files", type=count, default=0, metavar="N", help="files, about; 0: one for every 4,000,000 events"
    )
    parser.add_argument("--spark", action="store_true", help="let Spark's tasks write, each files of its own")
    parser.add_argument(
        "--verify", metavar="REPORT", help="write nothing: hold a report of DIR, or what `check --output` wrote, to it"
    )
    with_output_options(parser, form=False)


def run(arguments: Namespace) -> int:
    """Generate, or verify."""
    return _verified(arguments) if arguments.verify is not None else _generated(arguments)


def _generated(arguments: Namespace) -> int:
    from conformance.generate.generating import generate

    order = order_of(arguments)
    with Progress(quiet=arguments.quiet) as progress, _doer(arguments, progress) as do:
        truth = generate(order, Path(arguments.folder), do)
    folder, planted = arguments.folder, len(truth.judgement.violations)
    print(f"{truth.events:,} events written to {folder}, with {planted:,} violations, which truth.json there tells")
    print(f"judge them: quorate check {shlex.quote(folder)}")
    return ExitCode.HOLDS


def order_of(arguments: Namespace) -> Order:
    """The order that the options make.

    Raises:
        Problem: there is no such trace.
    """
    from conformance.generate.ordering import BadOrder, Order

    if arguments.events is None:
        raise Problem("how many events?", "the trace's size must be said", "--events 1000000", "--events")
    try:
        return Order(
            arguments.events, arguments.seed, arguments.layout, arguments.skew, arguments.mutants, arguments.files
        )
    except BadOrder as error:
        raise Problem("the trace cannot be generated", str(error), "other options") from None


@contextmanager
def _doer(arguments: Namespace, progress: Progress) -> Iterator[Doer]:
    """Who does the work: this process, or the tasks of a session of Spark."""
    if not arguments.spark:
        from conformance.generate.generating import here

        def with_progress(what: str, number: int, work: Callable[[int], None]) -> None:
            progress(what)
            here(what, number, work)

        yield with_progress
        return
    from conformance.cli_spark import own_session
    from spark_checks.tasks import each

    with own_session("quorate generate") as session:

        def tasks(what: str, number: int, work: Callable[[int], None]) -> None:
            progress(f"{what}, on Spark")
            each(session, number, work)

        yield tasks


def _verified(arguments: Namespace) -> int:
    from conformance.generate import truth
    from conformance.generate.verifying import verified
    from conformance.trace.open import open_trace

    path = Path(arguments.folder)
    true = truth.read(path)
    header = open_trace(path if path.is_dir() else path.parent).header
    found = verified(true, header, Path(arguments.verify))
    for fault in found.faults:
        print(fault)
    print(f"{found.rules:,} rules, {_about(found)}: {_said(found)}")
    if left := found.left_out:
        rules, others = f"{len(left):,} rules", f"{left.total():,}"
        print(f"it leaves out {rules}, which have the other {others}: whether these are found is not known")
    if found.faults:
        return ExitCode.VIOLATED
    return ExitCode.HOLDS if found.rules else ExitCode.NOTHING_CHECKED


def _about(found: Verified) -> str:
    """How many of the planted violations a report is about."""
    if not found.left_out:
        return f"{found.planted:,} planted violations of them"
    return f"and of {found.planted + found.left_out.total():,} planted violations the report is about {found.planted:,}"


def _said(found: Verified) -> str:
    """How a report agrees with the truth, which is not said of one that leaves planted violations out."""
    if found.faults:
        return f"the report differs from the truth in {len(found.faults):,} ways"
    if not found.rules:
        return "nothing was judged"
    return "what it says of these rules is true" if found.left_out else "the report says the truth"
