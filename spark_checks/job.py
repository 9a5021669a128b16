"""A job for spark-submit: judge one trace with the rules in force.

    spark-submit --py-files quorate.zip spark_checks/job.py TRACE --output DIR

Options are those of ``quorate check``. The last line is the verdict and the exit code says it too: 0 holds, 1 violated,
2 unknown, 3 a defect, 4 usage, 5 nothing checked. Results are also left in DIR: ``report.json`` and a table of all
violations.
"""

from __future__ import annotations

import argparse
import logging
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from conformance.trace.errors import TraceError
from spark_checks.session import JavaEnded, NoServer, silence, spark_session
from spec.columns.mistakes import ColumnsMistake
from spec.registry import UnknownRule, select
from spec.reports import json_form, text
from spec.reports.report import Report
from spec.verdicts import ExitCode


class Usage(Exception):
    """The arguments cannot be understood."""


class Arguments(argparse.ArgumentParser):
    """A parser that leaves the exit code to the job."""

    def error(self, message: str) -> NoReturn:
        """Refuse the arguments.

        Raises:
            Usage: always.
        """
        raise Usage(message)


def parser() -> Arguments:
    """The job's options."""
    arguments = Arguments(
        prog="job.py",
        description="Judge a trace on Spark.",
        epilog="Example: spark-submit spark_checks/job.py run.parquet",
    )
    arguments.add_argument("trace", metavar="TRACE", help="JSON lines, Parquet, or a folder of Parquet files")
    arguments.add_argument(
        "--rule", action="append", default=[], metavar="PATTERN", help="only rules that match; repeatable"
    )
    arguments.add_argument("--plan", choices=("auto", "sql", "blocks"), default="auto", help="how to judge (auto)")
    arguments.add_argument(
        "--remote", metavar="URL", help="judge on this Spark Connect server, such as sc://host:15002"
    )
    arguments.add_argument("--format", choices=("text", "json"), default="text", help="for people or for machines")
    arguments.add_argument("--limit", type=int, default=3, metavar="N", help="violations of each rule to show (3)")
    arguments.add_argument("--all", action="store_true", help="list rules that hold or were not judged, too")
    arguments.add_argument("--output", metavar="DIR", help="for report.json and a table of all violations")
    arguments.add_argument("--debug", action="store_true", help="show where in the program an error was raised")
    return arguments


def main(words: Sequence[str] | None = None) -> int:
    """Run the job; gives its exit code.

    Args:
        words: the arguments; by default those of the process.
    """
    given = list(sys.argv[1:] if words is None else words)
    try:
        arguments = parser().parse_args(given)
        return _run(arguments)
    except SystemExit as ended:
        return int(ended.code or 0)
    except (Usage, UnknownRule) as error:
        return _failed(error, ExitCode.USAGE)
    except (TraceError, ColumnsMistake, NoServer, JavaEnded) as error:
        return _failed(error, ExitCode.UNKNOWN)
    except KeyboardInterrupt:
        return _failed(RuntimeError("interrupted"), ExitCode.INTERRUPTED)
    except Exception as error:  # noqa: BLE001 - the last line must be a verdict, whatever happens
        if "--debug" in given:
            traceback.print_exception(error)
        return _failed(error, ExitCode.INTERNAL)


def _run(arguments: argparse.Namespace) -> int:
    from spark_checks.checking import NotForBlocks, check  # noqa: PLC0415 - wrong arguments show without Spark

    rules = select(arguments.rule)
    if not arguments.debug:
        logging.disable()  # py4j's log of a lost connection is a trace of calls
    try:
        with spark_session("quorate check", remote=arguments.remote) as session:
            if not arguments.debug:
                silence(session)
            report = check(
                session,
                arguments.trace,
                rules,
                plan=arguments.plan,
                kept=max(20, arguments.limit),
                output=arguments.output,
            )
    except NotForBlocks as error:
        raise Usage(str(error)) from None
    _show(report, arguments)
    return report.verdict.exit_code


def _show(report: Report, arguments: argparse.Namespace) -> None:
    if arguments.output:
        Path(arguments.output).mkdir(parents=True, exist_ok=True)
        (Path(arguments.output) / "report.json").write_text(json_form.render(report))
    if arguments.format == "json":
        sys.stdout.write(json_form.render(report))
    else:
        sys.stdout.write(text.render(report, shown=arguments.limit, every=arguments.all))


def _failed(error: Exception, code: ExitCode) -> int:
    said = " ".join(str(error).split())[:600]
    sys.stderr.write(f"{type(error).__name__}: {said}\n")
    sys.stdout.write("verdict: unknown (the trace was not judged)\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
