"""``quorate trace``: convert, sort, show and validate traces, and print the schema of their lines."""

from __future__ import annotations

from argparse import Namespace

from conformance.cli_check import count
from conformance.cli_parts import Commands, Progress, command, with_output_options
from spec.verdicts import ExitCode


def add(commands: Commands) -> None:
    """Add the commands."""
    parser = command(
        commands, "trace", "convert, sort, show or validate a trace", usage, example="quorate trace show run.jsonl.zst"
    )
    below = parser.add_subparsers(metavar="ACTION", dest="action")
    for name, about, run in (
        ("convert", "write a trace in another form", converted),
        ("sort", "write a trace in the order of its family: of logs by log, LSN and sequence number", sorted_),
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
    sound = command(
        below,
        "validate",
        "name the first ten faults of a trace",
        validated,
        example="quorate trace validate run.jsonl",
        more="Each with its line, in Parquet its row. Exit code 0 if there is none, else 2.",
    )
    sound.add_argument("trace", metavar="TRACE", help="JSON lines, Parquet, or a folder of Parquet files")
    with_output_options(sound, form=False)
    forms = command(
        below,
        "schema",
        "print the JSON Schema of the lines of a trace, or of a report",
        schema,
        example="quorate trace schema",
    )
    forms.add_argument("of", nargs="?", choices=("lines", "report"), default="lines", help="lines (default) or report")
    forms.add_argument("--family", metavar="NAME", help="of lines of this family's traces; `log` if not said")


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

    for line in show(arguments.source, partition=arguments.log, position=arguments.lsn, limit=arguments.limit):
        print(line)
    return ExitCode.HOLDS


def validated(arguments: Namespace) -> int:
    """Name the first faults of a trace."""
    from conformance.trace.validate import MOST, validate

    with Progress(quiet=arguments.quiet) as progress:
        progress("validating")
        found = validate(arguments.trace)
    for fault in found.faults:
        print(fault)
    if found.faults:
        print(f"faults: {len(found.faults)}{' or more' if len(found.faults) == MOST else ''}")
        return ExitCode.UNKNOWN
    print(f"faults: none in {found.events:,} events")
    for name, times in sorted(found.unknown_fields.items()):
        print(f"{name}: a field that this version does not know and no rule reads, {times:,} times")
    return ExitCode.HOLDS


def schema(arguments: Namespace) -> int:
    """Print the schema."""
    from conformance.trace.schema import rendered, text
    from spec.registry import family_named
    from spec.reports.json_form import SCHEMA

    if arguments.of == "report":
        print(SCHEMA.read_text(encoding="utf-8"), end="")
    else:
        print(text() if arguments.family is None else rendered(family_named(arguments.family)), end="")
    return ExitCode.HOLDS
