"""``quorate replay``: is a trace a behaviour of the executable machine?"""

from __future__ import annotations

from argparse import Namespace

from conformance.cli_parts import Commands, Progress, command, with_output_options
from conformance.cli_problems import problem_of
from spec.verdicts import EXIT_CODES, ExitCode


def add(commands: Commands) -> None:
    """Add the command."""
    parser = command(
        commands,
        "replay",
        "replay a trace on the executable machine",
        run,
        example="quorate replay run.parquet",
        more="The first event that is no step of the machine is refused, with the guard that failed (exit code 1).",
    )
    parser.add_argument("trace", metavar="TRACE", help="a trace in any form, best as it was recorded")
    parser.add_argument(
        "--without",
        action="append",
        default=[],
        metavar="GUARD",
        help="do not ask guards that match; * and ? allowed; repeatable",
    )
    parser.add_argument(
        "--order",
        choices=("written", "clocks"),
        help="how events of different recorders are ordered (as written, unless sorted or of several clocks)",
    )
    with_output_options(parser, color=False)


def run(arguments: Namespace) -> int:
    """Replay, tell what came of it, and give the verdict's exit code."""
    from conformance.replay.replaying import replay
    from conformance.replay.telling import as_json, as_text
    from conformance.trace.open import open_trace

    try:
        with Progress(quiet=arguments.quiet) as progress:
            said = replay(open_trace(arguments.trace), arguments.without, progress, arguments.order)
    except Exception as error:
        problem = problem_of(error)
        if arguments.format == "json" and problem is not None and problem.code is ExitCode.UNKNOWN:
            from spec.reports.json_form import render_failure

            print(render_failure(arguments.trace, problem.object()), end="")
        raise
    print((as_json if arguments.format == "json" else as_text)(said), end="")
    return EXIT_CODES[said.verdict]
