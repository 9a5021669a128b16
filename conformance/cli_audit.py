"""``quorate audit``: hold the ledgers of a cluster to their copies, from a snapshot of what it said."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path
from typing import Any

from conformance.cli_check import count
from conformance.cli_parts import Commands, Progress, command, with_output_options


def add(commands: Commands) -> None:
    """Add the command."""
    parser = command(
        commands,
        "audit",
        "hold the ledgers of a cluster to their copies, their placement and their marks",
        run,
        example="quorate audit snapshot --as-shipped",
        more="A snapshot is a folder: audit.json, and the tables ledgers, answers and marks in Parquet.",
    )
    parser.add_argument("snapshot", metavar="FOLDER", help="what the metadata server and the bookies said")
    parser.add_argument("--as-shipped", action="store_true", help="compare with BookKeeper's own checker, 4.10 to 4.18")
    parser.add_argument("--output", metavar="DIR", help="a new folder, for a table of all violations")
    parser.add_argument(
        "--engine", choices=("columns", "spark"), default="columns", help="in this process, or on Spark (columns)"
    )
    parser.add_argument("--limit", type=count, default=3, metavar="N", help="violations of each category to show (3)")
    with_output_options(parser, color=False)


def run(arguments: Namespace) -> int:
    """Audit a snapshot."""
    from spark_checks.audit.report import as_json, as_text

    report = _report(arguments)
    if arguments.format == "json":
        print(json.dumps(as_json(report, arguments.limit), indent=2, ensure_ascii=False))
    else:
        print(as_text(report, arguments.limit), end="")
    code: int = report.exit_code
    return code


def _report(arguments: Namespace) -> Any:
    """A ``spark_checks.audit.report.Report``."""
    path, output = Path(arguments.snapshot), Path(arguments.output) if arguments.output else None
    with Progress(quiet=arguments.quiet) as progress:
        if arguments.engine == "columns":
            from spark_checks.audit.running import audit

            return audit(
                path,
                as_shipped=arguments.as_shipped,
                output=output,
                told=lambda done, of: progress("auditing ledgers", done, of),
            )
        from conformance.cli_spark import own_session
        from spark_checks.audit.running import audit_on_spark
        from spark_checks.audit.snapshot import about

        about(path)  # what is wrong with a snapshot's settings shows before Spark starts
        progress("auditing ledgers on Spark")
        with own_session("quorate audit") as session:
            return audit_on_spark(session, path, as_shipped=arguments.as_shipped, output=output)
