"""``quorate watch``: judge a growing folder of a live system, and tell each violation once."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError, Namespace
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Final

from conformance.cli_check import count, with_rules
from conformance.cli_parts import Commands, Problem, command, is_coloured, with_output_options
from conformance.cli_watch_topic import header_of_topic, jars_of, topic_of, with_topic_options
from spec.verdicts import ExitCode

if TYPE_CHECKING:
    from conformance.store.telling import Settle
    from conformance.trace.header import Header

LOOKS_S: Final = 0.5
"""How long it waits before it looks again for the first file."""

FAILURES: Final = 4
"""Times that Spark tries a task."""


def add(commands: Commands) -> None:
    """Add the command."""
    parser = command(
        commands,
        "watch",
        "judge what a live system records, as it is recorded",
        run,
        example="quorate watch recordings --store watched",
        more="Each violation is one JSON line, and one row of the table DIR/violations, whatever is killed.",
    )
    parser.add_argument(
        "source",
        metavar="SOURCE",
        help="a folder to which files or lines are added, one such file, or kafka://HOST:PORT/TOPIC",
    )
    parser.add_argument("--store", metavar="DIR", required=True, help="what is kept: go on later with the same one")
    with_rules(parser)
    parser.add_argument(
        "--settle",
        type=settle_of,
        default="10s",
        metavar="N",
        help="tell a violation when it has stood for so many events, or for so many seconds (10s) by their clocks",
    )
    parser.add_argument("--once", action="store_true", help="judge what is there, tell all that stands, and end")
    parser.add_argument("--every", type=count, default=1, metavar="SECONDS", help="look for more so often (1)")
    parser.add_argument("--cores", type=count, default=2, metavar="N", help="cores that Spark works with (2)")
    with_topic_options(parser)
    with_output_options(parser, form=False)
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="colour of the text")


def settle_of(text: str) -> Settle:
    """How long a violation must have stood: events, or seconds if an s follows.

    Raises:
        ArgumentTypeError: it is neither.
    """
    from conformance.store.telling import Settle

    found = re.fullmatch(r"(\d{1,12})(s?)", text)
    if found is None:
        raise ArgumentTypeError(f"{text!r} is neither a number of events, as 5000, nor of seconds, as 30s")
    number = int(found[1])
    return Settle(time_ns=number * 1_000_000_000) if found[2] else Settle(events=number)


def run(arguments: Namespace) -> int:
    """Watch until interrupted, or until all is judged; gives the exit code of the verdict then."""
    import sys

    from conformance.cli_spark import own_session
    from conformance.store.locking import locked
    from conformance.store.monitor import Monitor
    from conformance.store.store import Store
    from spark_checks.stream import FolderStream
    from spark_checks.tasks import in_tasks
    from spark_checks.topic import TopicStream
    from spark_checks.watching import watch
    from spec.registry import select
    from spec.reports import text

    rules, folder = select(arguments.rule), Path(arguments.store)
    settings = {"spark.master": f"local[{arguments.cores},{FAILURES}]"}
    with locked(folder):
        stream: FolderStream | TopicStream
        if topic := topic_of(arguments):
            header = header_of_topic(arguments)
            stream = TopicStream(topic, header, folder / "landed")
            settings["spark.jars"] = jars_of(arguments)
        else:
            stream = FolderStream(Path(arguments.source))
            header = _header(stream.path, once=arguments.once)
        with own_session("quorate watch", settings=settings) as session:
            store = Store(folder, header, rules, workers=partial(in_tasks, session), may_double=True)
            monitor = Monitor(store, stream, arguments.settle, quiet=arguments.quiet)
            watch(session, stream, folder / "checkpoint", monitor, once=arguments.once, every_s=arguments.every)
        if arguments.once and topic is None and (left := monitor.lag):
            print(f"not read: {left:,} bytes, of a line or a file without its end", file=sys.stderr)
        report = monitor.report()
        paint = text.coloured if is_coloured(arguments.color) else text.plain
        print(text.last_line(report, paint), file=sys.stderr)
        return report.verdict.exit_code


def _header(source: Path, *, once: bool) -> Header:
    """The header, as soon as there is a file that has it.

    Raises:
        Problem: there is none, and nothing is waited for.
    """
    from conformance.store.sources import header_of

    while (header := header_of(source)) is None:
        if once:
            what, why = "nothing to judge", "the folder has no files"
            raise Problem(what, why, "without --once, to wait for them", str(source), ExitCode.UNKNOWN)
        Event().wait(LOOKS_S)
    return header
