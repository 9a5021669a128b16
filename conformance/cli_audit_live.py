"""``quorate audit`` of a running cluster: by the checker, or as a snapshot that is audited later."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from conformance.cli_check import count
from conformance.cli_parts import Commands, Parser, Problem, Progress, command

SECONDS: Final = (
    ("--grace", 3600, "how long a mark may stand"),
    ("--later", 60, "after what time bookies that give no answer are asked again"),
    ("--answer", 5, "how long an answer may take"),
)
"""Options, what they are unless somebody says otherwise, and what they mean."""

MILLISECONDS: Final = 1000


def add(below: Commands) -> None:
    """Add the commands that ask a running cluster."""
    example = "quorate audit bookkeeper zk+hierarchical://127.0.0.1:2181/ledgers"
    live = command(
        below,
        "bookkeeper",
        "audit a running cluster, and look again before anything is reported",
        of_cluster,
        example=example,
        more="It reads only. BookKeeper's client is fetched at the version of a lock file; it needs Java.",
    )
    export = command(
        below,
        "export",
        "write down what a running cluster says, as a snapshot",
        export_cluster,
        example="quorate audit export zk+hierarchical://127.0.0.1:2181/ledgers snapshot",
    )
    for one in (live, export):
        one.add_argument("uri", metavar="URI", help="where the metadata is, as BookKeeper's metadataServiceUri has it")
        for name, usual, about in SECONDS:
            one.add_argument(name, type=count, default=usual, metavar="SECONDS", help=f"{about} ({usual})")
        one.add_argument(
            "--rate", type=count, default=200, metavar="N", help="questions to bookies a second, at most (200)"
        )
        one.add_argument("--placement", metavar="FILE", help="JSON: a policy, and where bookies are; else any will do")
        one.add_argument("--quiet", action="store_true", help="no progress")
    export.add_argument("snapshot", metavar="FOLDER", help="a new folder")
    with_findings(live)


def with_findings(audit: Parser) -> None:
    """Add the options by which one audit leaves its findings, and another goes on from there."""
    audit.add_argument(
        "--output", metavar="DIR", help="a new folder, for tables of all violations and of what is sound"
    )
    audit.add_argument(
        "--since", metavar="DIR", help="the --output of an earlier audit: ask only about what changed since"
    )
    audit.add_argument(
        "--recheck-older-than",
        type=count,
        metavar="SECONDS",
        help="with --since: ask again about what was asked about longer ago",
    )


def since(arguments: Namespace) -> tuple[Path, int | None] | None:
    """The findings to go on from, and after how many milliseconds they count no longer.

    Raises:
        Problem: there is an age and no findings.
    """
    seconds = arguments.recheck_older_than
    if arguments.since is None and seconds is not None:
        why = "without an earlier audit everything is asked about"
        raise Problem("--recheck-older-than alone", why, "--since DIR, or neither", "--recheck-older-than")
    if arguments.since is None:
        return None
    return Path(arguments.since), None if seconds is None else MILLISECONDS * seconds


def of_cluster(arguments: Namespace) -> int:
    """Audit a running cluster by the reference checker."""
    from conformance.cli_audit_kept import earlier_of, keeping
    from conformance.record.bookkeeper_live import GROUPS, live
    from conformance.record.bookkeeper_samples import sampled
    from reference_impl.ledger.checker.running import run
    from reference_impl.ledger.checker.state import Ending, Settings
    from spec.verdicts import ExitCode

    before = since(arguments)
    with live(arguments.uri, _pace(arguments)) as asked:
        cluster = _cluster(arguments, asked)
        settings = Settings(cluster.policy, MILLISECONDS * arguments.grace, MILLISECONDS * arguments.later)
        if before:
            settings = replace(settings, earlier=sampled(asked, earlier_of(*before, cluster)))
        with keeping(arguments.output, cluster, settings) as done:
            report = run(asked, asked.ledgers(), settings, print, GROUPS, done=done)
    for ending, many in report.endings.items():
        print(f"{many} ledgers {ending.value}")
    if report.violations:
        return ExitCode.VIOLATED
    if report.endings.get(Ending.BOOKIES_DOWN) or report.endings.get(Ending.UNREADABLE):
        return ExitCode.UNKNOWN
    is_sound = any(report.endings.get(one) for one in (Ending.SOUND, Ending.STANDING))
    return ExitCode.HOLDS if is_sound else ExitCode.NOTHING_CHECKED


def export_cluster(arguments: Namespace) -> int:
    """Write a snapshot of a running cluster."""
    from conformance.record.bookkeeper_live import live
    from conformance.record.bookkeeper_said import said
    from spark_checks.audit.writing import write
    from spec.verdicts import ExitCode

    def ledger_rows() -> Iterator[Any]:
        ledgers = cluster.ledgers()
        for done, one in enumerate(said(cluster, ledgers, MILLISECONDS * arguments.later), start=1):
            progress("asking about ledgers", done, len(ledgers))
            yield one

    with live(arguments.uri, _pace(arguments)) as cluster, Progress(quiet=arguments.quiet) as progress:
        write(Path(arguments.snapshot), _cluster(arguments, cluster), ledger_rows())
    print(f"wrote {arguments.snapshot}; audit it: quorate audit snapshot {arguments.snapshot}")
    return ExitCode.HOLDS


def _pace(arguments: Namespace) -> Any:
    """How the cluster is asked: a ``conformance.record.bookkeeper_live.Pace``.

    Raises:
        Problem: it would never be asked, or never wait for an answer.
    """
    from conformance.record.bookkeeper_live import Pace

    for option, value in (("--rate", arguments.rate), ("--answer", arguments.answer)):
        if not value:
            raise Problem(f"{option} 0", "nothing would ever be answered", "1 or more", option)
    return Pace(MILLISECONDS * arguments.answer, arguments.rate)


def _cluster(arguments: Namespace, asked: Any) -> Any:
    """What ledgers are held to: a ``spark_checks.audit.cluster.Cluster``.

    Raises:
        Problem: the file of the placement cannot be used.
    """
    from conformance.trace.errors import TraceError
    from spark_checks.audit.cluster import from_json

    file = arguments.placement
    try:
        placed = json.loads(Path(file).read_text(encoding="utf-8")) if file else {}
        locations = placed.pop("locations", {})
        registered, down = asked.registered(), asked.known_down()
        bookies = [
            {
                "name": name,
                "location": locations.get(name, ""),
                "registered": name in registered,
                "known_down": name in down,
            }
            for name in sorted(registered | down | locations.keys())
        ]
        said = {"quorate_audit": 1, "taken_ms": asked.now_ms(), "grace_ms": MILLISECONDS * arguments.grace}
        said |= {"cluster": asked.identity()}
        return from_json(said | {"bookies": bookies} | ({"placement": placed} if placed else {}))
    except (OSError, ValueError, AttributeError, TypeError, TraceError) as error:
        advice = 'such as {"policy": "rack-aware", "least": 2, "locations": {"host:3181": "/rack1"}}'
        raise Problem("the placement cannot be used", str(error), advice, str(file)) from None
