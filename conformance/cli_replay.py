"""``quorate replay``: is a trace a behaviour of the executable machine, or of the text that follows its family?"""

from __future__ import annotations

from argparse import Namespace
from functools import partial
from typing import TYPE_CHECKING

from conformance.cli_check import count
from conformance.cli_parts import Commands, Problem, Progress, command, with_output_options
from conformance.cli_problems import problem_of
from spec.language.outcomes import Verdict
from spec.verdicts import EXIT_CODES, ExitCode

if TYPE_CHECKING:
    from conformance.replay.following import FollowedTrace
    from conformance.trace.open import Trace


def add(commands: Commands) -> None:
    """Add the command."""
    parser = command(
        commands,
        "replay",
        "replay a trace on the executable machine, or follow it by a text",
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
        "--text", action="store_true", help="follow a log, too, by the text of its epochs, instead of asking guards"
    )
    parser.add_argument(
        "--order",
        choices=("written", "clocks"),
        help="how events of different recorders are ordered (as written, unless sorted or of several clocks)",
    )
    parser.add_argument(
        "--workers",
        type=count,
        default=1,
        metavar="N",
        help="follow ledgers of a sorted trace side by side (1)",
    )
    parser.add_argument(
        "--engine", choices=("processes", "spark"), default="processes", help="where they are followed (processes)"
    )
    parser.add_argument("--remote", metavar="URL", help="a Spark Connect server for Spark, such as sc://host:15002")
    with_output_options(parser, color=False)


def run(arguments: Namespace) -> int:
    """Replay, tell what came of it, and give the verdict's exit code."""
    from conformance.trace.open import open_trace

    try:
        with Progress(quiet=arguments.quiet) as progress:
            verdict, said = _said(open_trace(arguments.trace), arguments, progress)
    except Exception as error:
        problem = problem_of(error)
        if arguments.format == "json" and problem is not None and problem.code is ExitCode.UNKNOWN:
            from spec.reports.json_form import render_failure

            print(render_failure(arguments.trace, problem.object()), end="")
        raise
    print(said, end="")
    return EXIT_CODES[verdict]


def _said(trace: Trace, arguments: Namespace, progress: Progress) -> tuple[Verdict, str]:
    """The verdict and what is printed: of logs by the machine, unless it is to be the text that follows a family."""
    from conformance.replay import following, replaying, telling, telling_followed
    from spec.log.family import LOG

    as_json = arguments.format == "json"
    if arguments.workers < 1:
        raise Problem(f"--workers {arguments.workers}", "nobody would follow", "--workers 2", "--workers")
    if arguments.remote and arguments.engine != "spark":
        raise Problem("--remote", "processes of this machine follow", "--engine spark", "--remote")
    if arguments.text or trace.header.family is not LOG:
        if arguments.without:
            raise Problem("--without", "a text has no guards that could be left out", "leave it out", "--without")
        is_parallel = arguments.workers > 1 or arguments.engine == "spark"
        followed = _apart(trace, arguments) if is_parallel else following.follow(trace, progress, arguments.order)
        return followed.verdict, (telling_followed.as_json if as_json else telling_followed.as_text)(followed)
    for option, is_given in {"--workers": arguments.workers > 1, "--engine": arguments.engine == "spark"}.items():
        if is_given:
            raise Problem(option, "the machine replays all logs together", "leave it out", option)
    replayed = replaying.replay(trace, arguments.without, progress, arguments.order)
    return replayed.verdict, (telling.as_json if as_json else telling.as_text)(replayed)


def _apart(trace: Trace, arguments: Namespace) -> FollowedTrace:
    """Follow each ledger by itself, in processes or on Spark.

    Raises:
        Problem: the trace cannot be followed so.
    """
    from conformance.replay.apart import NotApart, follow_apart, in_processes

    if arguments.order == "written":
        raise Problem("--order written", "a sorted trace is in another order", "leave it out", "--order")
    try:
        if arguments.engine == "processes":
            return follow_apart(trace, in_processes(arguments.workers), arguments.workers)
        from conformance.cli_spark import own_session
        from spark_checks.session import cores_of
        from spark_checks.tasks import in_tasks

        with own_session("quorate replay", remote=arguments.remote) as session:
            return follow_apart(trace, partial(in_tasks, session), cores_of(session))
    except NotApart as error:
        what, _, advice = str(error).partition(": ")
        raise Problem("it cannot be followed in parallel", what, advice, arguments.trace) from None
