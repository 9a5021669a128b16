"""``quorate check``: judge traces by the rules that are in force for them."""

from __future__ import annotations

import shutil
import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from conformance.cli_parts import Commands, Parser, Problem, Progress, command, is_coloured, with_output_options
from conformance.cli_problems import problem_of
from spec.verdicts import ExitCode

if TYPE_CHECKING:
    from conformance.forms.told import Told
    from spec.language.rule import Rule
    from spec.reports.report import Report

ENGINES = ("columns", "python", "spark")
PLANS = ("auto", "sql", "blocks")
FORMS = ("html", "junit", "sarif", "github", "mermaid")
"""Forms that tell stories, each a module of ``conformance.forms``."""
STDIN = "-"


def add(commands: Commands) -> None:
    """Add the command."""
    parser = command(
        commands,
        "check",
        "judge traces by the rules in force",
        run,
        example="quorate check run.parquet --rule 'client.*'",
        more="A trace that cannot be read is unknown (exit code 2), never a pass. Of several, the worst code counts.",
    )
    parser.add_argument(
        "traces",
        metavar="TRACE",
        nargs="+",
        help="JSON lines (plain, gzip, zstd), Parquet, or a folder of Parquet files; - is standard input",
    )
    with_rules(parser)
    parser.add_argument("--engine", choices=ENGINES, default="columns", help="what judges (columns)")
    parser.add_argument("--plan", choices=PLANS, default="auto", help="how Spark judges: SQL, or blocks of columns")
    parser.add_argument("--remote", metavar="URL", help="a Spark Connect server for Spark, such as sc://host:15002")
    parser.add_argument("--limit", type=count, default=3, metavar="N", help="violations of each rule to show (3)")
    parser.add_argument("--all", action="store_true", help="list rules that hold, and those that were not judged, too")
    parser.add_argument(
        "--output", metavar="DIR", help="write report.json here, and with Spark a table of all violations"
    )
    parser.add_argument("--follow", action="store_true", help="judge a growing file again and again, until it is whole")
    parser.add_argument(
        "--store", metavar="DIR", help="keep what was judged here, and judge only what was added to the trace since"
    )
    with_output_options(parser, forms=("text", "json", *FORMS))


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
    """Check, print the reports, and give the exit code of the worst verdict."""
    from spec.registry import select

    rules = select(arguments.rule)
    _refuse_what_contradicts(arguments)
    if arguments.follow:
        from conformance.cli_follow import follow

        return follow(arguments, rules)
    told, failed = list[Any](), list[ExitCode]()
    for trace in arguments.traces:
        try:
            told.append(judged(arguments, trace, rules))
        except Exception as error:
            problem = problem_of(error)
            if problem is None or problem.code is not ExitCode.UNKNOWN or len(arguments.traces) == 1:
                _show_failure(arguments, trace, problem)
                raise
            print(problem.text(), file=sys.stderr)
            failed.append(problem.code)
    show(told, arguments)
    return worst([*(one.report.verdict.exit_code for one in told), *failed])


def worst(codes: Iterable[ExitCode]) -> ExitCode:
    """The exit code of several traces: violated before unknown, and that before nothing checked."""
    order = (ExitCode.VIOLATED, ExitCode.UNKNOWN, ExitCode.NOTHING_CHECKED)
    found = set(codes)
    return next((code for code in order if code in found), ExitCode.HOLDS)


def _refuse_what_contradicts(arguments: Namespace) -> None:
    engine, several = arguments.engine, len(arguments.traces) > 1
    if arguments.plan != "auto" and engine != "spark":
        raise Problem(f"--plan {arguments.plan}", f"engine {engine} has one plan", "--engine spark", "--plan")
    if arguments.remote and engine != "spark":
        raise Problem("--remote", f"engine {engine} judges here", "--engine spark", "--remote")
    if engine == "spark" and (arguments.format in FORMS or arguments.follow):
        raise Problem("Spark tells no stories", "this needs one of each violation", "--engine columns", "--engine")
    if arguments.follow and (several or arguments.format != "text" or STDIN in arguments.traces):
        raise Problem("--follow with more", "it follows one file, and tells as text", "one trace alone", "--follow")
    if arguments.store:
        _refuse_beside_a_store(arguments, several=several)
    if arguments.output and several:
        raise Problem(
            "--output of several traces", "there is one report.json", "one trace, or --format json", "--output"
        )


def _refuse_beside_a_store(arguments: Namespace, *, several: bool) -> None:
    if several or STDIN in arguments.traces:
        raise Problem("--store of several traces", "a store keeps one", "one trace and one store", "--store")
    if arguments.engine != "columns" or arguments.follow or arguments.format in FORMS:
        why = "a store is judged by columns, once, and told as text or json"
        raise Problem("--store with more", why, "leave the other options out", "--store")


def _show_failure(arguments: Namespace, trace: str, problem: Problem | None) -> None:
    """Say in JSON, too, that a trace could not be judged."""
    if arguments.format == "json" and problem is not None and problem.code is ExitCode.UNKNOWN:
        from spec.reports.json_form import render_failure

        print(render_failure(trace, problem.object()), end="")


def judged(arguments: Namespace, trace: str, rules: list[Rule]) -> Told | Reported:
    """What the engine that was asked for says of a trace, with stories where the form needs them."""
    from conformance.check.checking import check
    from conformance.forms.told import told_of
    from conformance.trace.open import open_trace

    with Progress(quiet=arguments.quiet) as progress, source(trace) as path:
        if arguments.engine == "spark":
            from conformance.cli_spark import check_on_spark

            progress("judging on Spark")
            how = {"plan": arguments.plan, "output": arguments.output, "remote": arguments.remote}
            return Reported(
                check_on_spark(str(path), rules, kept=max(arguments.limit, 20), shown=arguments.limit, **how)
            )
        if arguments.store:
            from conformance.cli_store import checked

            return Reported(checked(arguments, trace, rules, progress))
        opened, limit = open_trace(path), arguments.limit
        if arguments.format in FORMS:
            return told_of(opened, trace, rules, arguments.engine, shown=limit, progress=progress)
        kept = max(limit, 20)
        report = check(opened, rules, arguments.engine, kept=kept, shown=limit, progress=progress)
        return Reported(replace(report, trace=trace))


@dataclass(frozen=True)
class Reported:
    """A report without stories."""

    report: Report


@contextmanager
def source(trace: str) -> Iterator[Path]:
    """The file of a trace; standard input is one as long as the block."""
    if trace != STDIN:
        yield Path(trace)
        return
    with TemporaryDirectory(prefix="quorate-") as folder:
        path = Path(folder) / "standard-input"
        with path.open("xb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield path


def show(told: Sequence[Told | Reported], arguments: Namespace) -> None:
    """Print reports, and write the one that is wanted in a file."""
    from spec.reports import json_form, text

    reports = [one.report for one in told]
    if arguments.output:
        folder = Path(arguments.output)
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = folder / ".report.json.unfinished"
        unfinished.write_text(json_form.render(reports[0]))
        unfinished.replace(folder / "report.json")
    if arguments.format in FORMS:
        form = import_module(f"conformance.forms.{arguments.format}")
        print(form.render(told), end="")
    elif arguments.format == "json":
        print(json_form.render(reports[0]) if len(arguments.traces) == 1 else json_form.render_all(reports), end="")
    else:
        paint = text.coloured if is_coloured(arguments.color) else text.plain
        print("\n".join(text.render(one, paint, shown=arguments.limit, every=arguments.all) for one in reports), end="")
