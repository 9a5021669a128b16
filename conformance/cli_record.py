"""``quorate record``: start a real system on loopback, hurt it, record it, and import the recording."""

from __future__ import annotations

from argparse import Namespace

from conformance.cli_check import count
from conformance.cli_import import import_folder, show_written
from conformance.cli_parts import Commands, command
from conformance.cli_trace import usage
from spec.verdicts import ExitCode

SCENARIOS = ("clean", "acks1-leader-killed")
OF_NATS = ("clean", "memory-killed")
OF_BOOKKEEPER = ("takeover", "ack1-bookie-wiped", "striped")


def add(commands: Commands) -> None:
    """Add the commands."""
    example = "quorate record kafka recording --scenario acks1-leader-killed --seed 42"
    parser = command(
        commands,
        "record",
        "record a real system under faults, on loopback",
        usage,
        example=example,
        more="Needs the optional group `live`.",
    )
    below = parser.add_subparsers(metavar="SYSTEM", dest="system")
    kafka = command(below, "kafka", "three nodes of Apache Kafka", recorded_kafka, example=example)
    kafka.add_argument("--scenario", choices=SCENARIOS, default="clean", help="what happens to it (clean)")
    bookkeeper = command(
        below,
        "bookkeeper",
        "ZooKeeper and bookies of Apache BookKeeper",
        recorded_bookkeeper,
        example="quorate record bookkeeper recording --scenario ack1-bookie-wiped",
    )
    bookkeeper.add_argument(
        "--scenario", choices=OF_BOOKKEEPER, default="takeover", help="what happens to it (takeover)"
    )
    nats = command(
        below,
        "nats",
        "three nodes of NATS JetStream",
        recorded_nats,
        example="quorate record nats recording --scenario memory-killed",
    )
    nats.add_argument("--scenario", choices=OF_NATS, default="clean", help="what happens to it (clean)")
    restate = command(
        below,
        "restate",
        "three nodes of Restate",
        recorded_restate,
        example="quorate record restate recording --seconds 40",
    )
    restate.add_argument("--seconds", type=count, default=25, metavar="N", help="how long clients work (25)")
    for one in (kafka, bookkeeper, nats, restate):
        one.add_argument("folder", metavar="FOLDER", help="takes the raw recording and trace.parquet")
        one.add_argument("--seed", type=count, default=0, metavar="N", help="paces clients and faults (0)")


def recorded_kafka(arguments: Namespace) -> int:
    """Record Kafka and import the recording."""
    from pathlib import Path

    from conformance.record.kafka import record_kafka

    folder = Path(arguments.folder)
    folder.mkdir(parents=True, exist_ok=True)
    recording = record_kafka(folder, arguments.scenario, seed=arguments.seed)
    output = str(folder / "trace.parquet")
    show_written(import_folder(folder, output, recording.acks, recording.min_insync), output)
    return ExitCode.HOLDS


def recorded_bookkeeper(arguments: Namespace) -> int:
    """Record BookKeeper and import the recording."""
    from pathlib import Path

    from conformance.importers.commands import bookkeeper
    from conformance.record.bookkeeper import record_bookkeeper

    folder = Path(arguments.folder)
    folder.mkdir(parents=True, exist_ok=True)
    record_bookkeeper(folder, arguments.scenario, seed=arguments.seed)
    output = str(folder / "trace.parquet")
    show_written(bookkeeper(folder, output), output)
    return ExitCode.HOLDS


def recorded_nats(arguments: Namespace) -> int:
    """Record NATS JetStream and import the recording."""
    from pathlib import Path

    from conformance.importers.commands import nats
    from conformance.record.nats import record_nats

    folder = Path(arguments.folder)
    folder.mkdir(parents=True, exist_ok=True)
    recording = record_nats(folder, arguments.scenario, seed=arguments.seed)
    output = str(folder / "trace.parquet")
    show_written(nats(recording.history, output, replicas=recording.replicas), output)
    return ExitCode.HOLDS


def recorded_restate(arguments: Namespace) -> int:
    """Record Restate and import the recording."""
    from pathlib import Path

    from conformance.importers.commands import restate
    from conformance.record.restate import record_restate

    folder = Path(arguments.folder)
    folder.mkdir(parents=True, exist_ok=True)
    record_restate(folder, seconds=arguments.seconds, seed=arguments.seed)
    output = str(folder / "trace.parquet")
    show_written(restate(output, folder=folder), output)
    return ExitCode.HOLDS
