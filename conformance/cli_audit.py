"""``quorate audit``: hold the ledgers of a BookKeeper cluster to their copies, live or from a snapshot."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path
from typing import Any

from conformance import cli_audit_live
from conformance.cli_check import count
from conformance.cli_parts import Commands, Problem, Progress, command, with_output_options
from conformance.cli_trace import usage


def add(commands: Commands) -> None:
    """Add the commands."""
    example = "quorate audit snapshot examples/audit/snapshot --as-shipped"
    about = "hold the ledgers of a BookKeeper cluster to their copies, their placement and their marks"
    below = command(commands, "audit", about, usage, example=example).add_subparsers(metavar="WHAT", dest="what")
    snapshot = command(
        below,
        "snapshot",
        "audit what a cluster said",
        of_snapshot,
        example=example,
        more="A snapshot is a folder: audit.json, and the tables ledgers, answers and marks in Parquet.",
    )
    snapshot.add_argument("snapshot", metavar="FOLDER", help="what the metadata server and the bookies said")
    snapshot.add_argument("--as-shipped", action="store_true", help="compare with BookKeeper's checker, 4.10 to 4.18")
    cli_audit_live.with_findings(snapshot)
    snapshot.add_argument(
        "--engine", choices=("columns", "spark"), default="columns", help="in this process, or on Spark (columns)"
    )
    snapshot.add_argument("--limit", type=count, default=3, metavar="N", help="violations of each category to show (3)")
    with_output_options(snapshot, color=False, forms=("text", "json", "html"))
    cli_audit_live.add(below)


def of_snapshot(arguments: Namespace) -> int:
    """Audit a snapshot."""
    from spark_checks.audit.report import as_json, as_text, blocks

    report = _report(arguments)
    if arguments.format == "json":
        print(json.dumps(as_json(report, arguments.limit), indent=2, ensure_ascii=False))
    elif arguments.format == "html":
        from conformance.forms.blocks import render

        print(render(arguments.snapshot, report.verdict.value, blocks(report, arguments.limit)), end="")
    else:
        print(as_text(report, arguments.limit), end="")
    code: int = report.exit_code
    return code


def _report(arguments: Namespace) -> Any:
    """A ``spark_checks.audit.report.Report``."""
    from spark_checks.audit.running import Since

    path, output = Path(arguments.snapshot), Path(arguments.output) if arguments.output else None
    before = cli_audit_live.since(arguments)
    if before and arguments.as_shipped:
        why = "the shipped checker knows of no earlier run"
        raise Problem("--as-shipped with --since", why, "one of the two", "--as-shipped")
    since = Since(*before) if before else None
    with Progress(quiet=arguments.quiet) as progress:
        if arguments.engine == "columns":
            from spark_checks.audit.running import audit

            return audit(
                path,
                as_shipped=arguments.as_shipped,
                output=output,
                since=since,
                told=lambda done, of: progress("auditing ledgers", done, of),
            )
        from conformance.cli_spark import own_session
        from spark_checks.audit.running import audit_on_spark
        from spark_checks.audit.snapshot import about

        about(path)  # what is wrong with a snapshot's settings shows before Spark starts
        progress("auditing ledgers on Spark")
        with own_session("quorate audit") as session:
            return audit_on_spark(session, path, as_shipped=arguments.as_shipped, output=output, since=since)
