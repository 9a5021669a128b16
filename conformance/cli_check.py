"""``quorate check``: judge one trace by the rules that are in force for it."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.cli_parts import Commands, Parser, Problem, Progress, command, with_output_options
from conformance.cli_problems import problem_of
from spec.verdicts import ExitCode

if TYPE_CHECKING:
    from spec.language.rule import Rule
    from spec.reports.report import Report

ENGINES = ("columns", "python", "spark")
PLANS = ("auto", "sql", "blocks")


def add(commands: Commands) -> None:
    """Add the command."""
    parser = command(
        commands,
        "check",
        "judge a trace by the rules in force",
        run,
        example="quorate check run.parquet --rule 'client.*'",
        more="A trace that cannot be read is unknown (exit code 2), never a pass.",
    )
    parser.add_argument("trace", metavar="TRACE", help="JSON lines, Parquet, or a folder of Parquet files")
    with_rules(parser)
    parser.add_argument("--engine", choices=ENGINES, default="columns", help="what judges (columns)")
    parser.add_argument(
        "--plan", choices=PLANS, default="auto", help="how Spark judges: SQL, or blocks of sorted Parquet"
    )
    parser.add_argument("--limit", type=count, default=3, metavar="N", help="violations of each rule to show (3)")
    parser.add_argument("--all", action="store_true", help="list rules that hold, and those that were not judged, too")
    parser.add_argument(
        "--output", metavar="DIR", help="write report.json here, and with Spark a table of all violations"
    )
    with_output_options(parser)


def with_rules(parser: Parser) -> None:
    """The option that selects rules."""
    parser.add_argument(
        "--rule",
        action="append",
        default=[],
        metavar="PATTERN",
        help="only rules that match; * and ? allowed; repeatable",
    )


def count(text: str) -> int:
    """A number of things, from 0.

    Raises:
        ValueError: it is none.
    """
    if (number := int(text)) < 0:
        raise ValueError(text)
    return number


def run(arguments: Namespace) -> int:
    """Check, print the report, and give the verdict's exit code."""
    from spec.registry import select

    rules = select(arguments.rule)
    if arguments.plan != "auto" and arguments.engine != "spark":
        raise Problem(f"--plan {arguments.plan}", f"engine {arguments.engine} has one plan", "--engine spark", "--plan")
    try:
        report = judged(arguments, rules)
    except Exception as error:
        problem = problem_of(error)
        if arguments.format == "json" and problem is not None and problem.code is ExitCode.UNKNOWN:
            from spec.reports.json_form import render_failure

            print(render_failure(arguments.trace, problem.object()), end="")
        raise
    show(report, arguments)
    return report.verdict.exit_code


def judged(arguments: Namespace, rules: list[Rule]) -> Report:
    """The report of the engine that was asked for."""
    with Progress(quiet=arguments.quiet) as progress:
        if arguments.engine == "spark":
            from conformance.cli_spark import check_on_spark

            progress("judging on Spark")
            return check_on_spark(
                arguments.trace, rules, plan=arguments.plan, output=arguments.output, shown=arguments.limit
            )
        from conformance.check.checking import check
        from conformance.trace.open import open_trace

        trace = open_trace(arguments.trace)
        kept = max(arguments.limit, 20)
        return check(trace, rules, arguments.engine, kept=kept, shown=arguments.limit, progress=progress)


def show(report: Report, arguments: Namespace) -> None:
    """Print a report, and write it where it is wanted."""
    from spec.reports import json_form, text

    if arguments.output:
        folder = Path(arguments.output)
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = folder / ".report.json.unfinished"
        unfinished.write_text(json_form.render(report))
        unfinished.replace(folder / "report.json")
    if arguments.format == "json":
        print(json_form.render(report), end="")
        return
    paint = text.coloured if is_coloured(arguments.color) else text.plain
    print(text.render(report, paint, shown=arguments.limit, every=arguments.all), end="")


def is_coloured(wish: str) -> bool:
    """Whether to colour: as wished, else on a terminal unless NO_COLOR is set."""
    return wish == "always" or (wish == "auto" and sys.stdout.isatty() and not os.environ.get("NO_COLOR"))
