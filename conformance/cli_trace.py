"""``quorate trace``: convert, sort and show traces."""

from __future__ import annotations

from argparse import Namespace

from conformance.cli_check import count
from conformance.cli_parts import Commands, Progress, command, with_output_options
from spec.verdicts import ExitCode


def add(commands: Commands) -> None:
    """Add the commands."""
    parser = command(
        commands, "trace", "convert, sort or show a trace", usage, example="quorate trace show run.jsonl.zst"
    )
    below = parser.add_subparsers(metavar="ACTION", dest="action")
    for name, about, run in (
        ("convert", "write a trace in another form", converted),
        ("sort", "write a trace in the order of log, LSN and sequence number", sorted_),
    ):
        one = command(below, name, about, run, example=f"quorate trace {name} run.jsonl run.parquet")
        one.add_argument("source", metavar="SOURCE", help="a trace in any form")
        one.add_argument("target", metavar="TARGET", help="ends with .parquet, .jsonl or .jsonl.zst")
        with_output_options(one, form=False)
    show = command(
        below, "show", "print a trace as text", shown, example="quorate trace show run.parquet --log 1 --lsn e1n3"
    )
    show.add_argument("source", metavar="TRACE", help="a trace in any form")
    show.add_argument("--log", help="only events of this log, by number or name")
    show.add_argument("--lsn", help="only events that speak of this LSN, such as e1n3")
    show.add_argument("--limit", type=count, metavar="N", help="at most this many events")


def usage(arguments: Namespace) -> int:
    """Print the group's help."""
    arguments.parser.print_help()
    return ExitCode.HOLDS


def converted(arguments: Namespace) -> int:
    """Convert a trace."""
    from conformance.trace.commands import convert

    with Progress(quiet=arguments.quiet) as progress:
        progress("converting")
        count = convert(arguments.source, arguments.target)
    print(f"{count:,} events written to {arguments.target}")
    return ExitCode.HOLDS


def sorted_(arguments: Namespace) -> int:
    """Sort a trace."""
    from conformance.trace.commands import sort

    with Progress(quiet=arguments.quiet) as progress:
        progress("sorting")
        count = sort(arguments.source, arguments.target)
    print(f"{count:,} events sorted into {arguments.target}")
    return ExitCode.HOLDS


def shown(arguments: Namespace) -> int:
    """Show a trace."""
    from conformance.trace.commands import show

    for line in show(arguments.source, log=arguments.log, lsn=arguments.lsn, limit=arguments.limit):
        print(line)
    return ExitCode.HOLDS
