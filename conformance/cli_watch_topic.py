"""Topics of Kafka as a source of ``quorate watch``: their options, and the header that their events have."""

from __future__ import annotations

import re
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from conformance.cli_parts import Parser, Problem
from spec.verdicts import ExitCode

if TYPE_CHECKING:
    from conformance.store.topic import Topic
    from conformance.trace.header import Header

SCHEME: Final = "kafka://"
TOPIC: Final = re.compile(r"kafka://(?P<brokers>[^/,]+:\d{1,5}(?:,[^/,]+:\d{1,5})*)/(?P<topic>[A-Za-z0-9._-]{1,249})")


def with_topic_options(parser: Parser) -> None:
    """Add the options that only a topic needs."""
    parser.add_argument("--header", metavar="FILE", help="the header of a topic's events; the store keeps it")
    parser.add_argument(
        "--consumer-config", metavar="FILE", help="settings of Kafka's consumer, such as those of TLS: lines NAME=VALUE"
    )
    parser.add_argument(
        "--jars", metavar="FILE,...", help="Spark's connector to Kafka and what it needs (fetched once, if not given)"
    )


def topic_of(arguments: Namespace) -> Topic | None:
    """The topic that is the source; None: it is a folder or a file.

    Raises:
        Problem: it is no address of a topic, no broker can be reached, or an option does not fit.
    """
    from conformance.store.topic import Topic

    if not arguments.source.startswith(SCHEME):
        for name in ("header", "consumer_config", "jars"):
            if getattr(arguments, name):
                option = f"--{name.replace('_', '-')}"
                raise Problem(f"{option} without a topic", "a folder or file needs none", f"without {option}")
        return None
    found = TOPIC.fullmatch(arguments.source)
    if found is None:
        why = "it is not kafka://HOST:PORT[,HOST:PORT]/TOPIC"
        raise Problem("no such source", why, "kafka://localhost:9092/events", arguments.source)
    topic = Topic(found["brokers"], found["topic"], _settings(arguments.consumer_config))
    if fault := topic.fault():
        advice = "check the address, and whether Kafka serves"
        raise Problem("no broker can be reached", fault, advice, arguments.source, ExitCode.UNKNOWN)
    return topic


def _settings(path: str | None) -> dict[str, str]:
    """The settings in a file of Kafka's own form, which Java reads as Latin-1."""
    found = dict[str, str]()
    for number, line in enumerate(Path(path).read_text("latin-1").splitlines() if path else (), start=1):
        name, equals, value = line.partition("=")
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not equals:
            raise Problem("no setting", "it has no =", "NAME=VALUE", f"{path}, line {number}")
        found[name.strip()] = value.strip()
    return found


def header_of_topic(arguments: Namespace) -> Header:
    """The header that the command names, or else the one that the store keeps.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with it.
        Problem: there is none.
    """
    from conformance.store.sources import read_header
    from conformance.store.state import read_state

    if arguments.header:
        return read_header(Path(arguments.header))
    state = read_state(Path(arguments.store))
    if state is None:
        raise Problem("no header", "a topic has only events", "--header header.json", arguments.source)
    return state.header


def jars_of(arguments: Namespace) -> str:
    """Spark's connector to Kafka and what it needs, with commas between.

    Raises:
        PackagesUnavailable: it cannot be fetched.
        Problem: a file is not there.
    """
    from conformance.record.jars import SPARK_KAFKA_LOCK, fetch

    if not arguments.jars:
        return ",".join(map(str, fetch(SPARK_KAFKA_LOCK)))
    for path in map(Path, arguments.jars.split(",")):
        if not path.is_file():
            raise Problem("no such file", "Spark cannot load it", "full names of jars, commas between", str(path))
    return str(arguments.jars)
