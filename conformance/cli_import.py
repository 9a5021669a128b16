"""``quorate import``: recordings of other systems turned into traces."""

from __future__ import annotations

import shlex
from argparse import Namespace
from pathlib import Path

from conformance.cli_check import count
from conformance.cli_parts import Commands, Parser, Problem, command
from conformance.cli_trace import usage
from spec.verdicts import ExitCode

OUTPUT_HELP = "the trace to write: ends with .parquet, .jsonl or .jsonl.zst"

REPLICAS_HELP = "what each node held at the end; without it clients alone are judged"

KAFKA = "quorate import kafka HISTORY [--replicas FILE [--before-restart FILE]]"


def add(commands: Commands) -> None:
    """Add the commands."""
    example = "quorate import restate examples/restate --output restate.parquet"
    parser = command(commands, "import", "turn a recording of another system into a trace", usage, example=example)
    below = parser.add_subparsers(metavar="SYSTEM", dest="system")
    _add_restate(below, example)
    _add_kafka(below)
    _add_bookkeeper(below)
    _add_nats(below)
    _add_history(below)


def _add_restate(below: Commands, example: str) -> None:
    more = "Files may be compressed with zstd."
    one = command(below, "restate", "turn a recording of Restate into a trace", restate, example=example, more=more)
    one.add_argument("folder", metavar="FOLDER", nargs="?", help="has client and controller (.jsonl or .jsonl.zst)")
    one.add_argument("--client", metavar="FILE", help="what callers saw, where it is not in the folder")
    one.add_argument("--controller", metavar="FILE", help="what the operator saw, where it is not in the folder")
    with_output(one)


def _add_kafka(below: Commands) -> None:
    one = command(
        below,
        "kafka",
        "turn a recording of Kafka into a trace",
        kafka,
        example="quorate import kafka examples/kafka-acks1 --acks 1 --min-insync 2 --output kafka.parquet",
        more=f"Or, file by file: {KAFKA} ... Files may be compressed with zstd.",
    )
    whole = "what clients saw; or a folder with history, replicas and before_restart (.jsonl or .jsonl.zst)"
    one.add_argument("history", metavar="HISTORY", help=whole)
    one.add_argument("--replicas", metavar="FILE", help=REPLICAS_HELP)
    one.add_argument("--before-restart", metavar="FILE", help="what each node held before a killed node came back")
    one.add_argument(
        "--acks", choices=("1", "all"), help="the producers' setting; without it nothing is said of copies"
    )
    one.add_argument("--min-insync", type=count, metavar="N", help="the topic's min.insync.replicas")
    with_output(one)


def _add_bookkeeper(below: Commands) -> None:
    one = command(
        below,
        "bookkeeper",
        "turn a recording of BookKeeper into a trace",
        bookkeeper,
        example="quorate import bookkeeper recording --output bookkeeper.parquet",
        more="Files may be compressed with zstd.",
    )
    one.add_argument("folder", metavar="FOLDER", help="has history, metadata and stored, and may have lists")
    with_output(one)


def _add_nats(below: Commands) -> None:
    one = command(
        below,
        "nats",
        "turn a recording of NATS JetStream into a trace",
        nats,
        example="quorate import nats history.jsonl --replicas replicas.jsonl --output nats.parquet",
        more="Files may be compressed with zstd.",
    )
    one.add_argument("history", metavar="HISTORY", help="what clients saw; or a folder with history and replicas")
    one.add_argument("--replicas", metavar="FILE", help=REPLICAS_HELP)
    with_output(one)


def _add_history(below: Commands) -> None:
    one = command(
        below,
        "history",
        "turn what clients of any log did and were told into a trace",
        history,
        example="quorate import history history.jsonl --clock-bound-ns 0 --output trace.jsonl",
        more="JSON lines in quorate's own form, Jepsen's or Porcupine's; they may be compressed with zstd.",
    )
    one.add_argument("history", metavar="HISTORY", help="one line for each thing that a client did or was told")
    one.add_argument("--in-order", action="store_true", help="lines stand in the order in which everything happened")
    one.add_argument("--clock-bound-ns", type=count, metavar="N", help="by how much clients' clocks differ at most")
    promise = "what the log promises: append_once, client_order, real_time_order; may be repeated"
    one.add_argument("--promise", action="append", default=[], metavar="NAME", help=promise)
    with_output(one)


def with_output(parser: Parser) -> None:
    """The option that names the trace."""
    parser.add_argument("--output", metavar="TRACE", required=True, help=OUTPUT_HELP)


def restate(arguments: Namespace) -> int:
    """Import a Restate recording."""
    from conformance.importers.commands import restate as import_restate

    missing = [name for name in ("client", "controller") if getattr(arguments, name) is None]
    if arguments.folder is None and missing:
        raise Problem(
            "no folder and not both files",
            f"nothing says where the {' and '.join(missing)} file is",
            "quorate import restate FOLDER, or --client FILE --controller FILE",
        )
    written = import_restate(
        arguments.output, folder=arguments.folder, client=arguments.client, controller=arguments.controller
    )
    show_written(written, arguments.output)
    return ExitCode.HOLDS


def kafka(arguments: Namespace) -> int:
    """Import a Kafka recording."""
    from conformance.importers.commands import kafka as import_kafka

    path, replicas, before = Path(arguments.history), arguments.replicas, arguments.before_restart
    if path.is_dir():
        path, replicas, before = in_folder(path, replicas, before)
    written = import_kafka(
        path,
        arguments.output,
        replicas=replicas,
        before_restart=before,
        acks=arguments.acks,
        min_insync=arguments.min_insync,
    )
    show_written(written, arguments.output)
    return ExitCode.HOLDS


def bookkeeper(arguments: Namespace) -> int:
    """Import a BookKeeper recording."""
    from conformance.importers.commands import bookkeeper as import_bookkeeper

    show_written(import_bookkeeper(arguments.folder, arguments.output), arguments.output)
    return ExitCode.HOLDS


def nats(arguments: Namespace) -> int:
    """Import a NATS recording."""
    from conformance.importers.commands import nats as import_nats

    path, replicas = Path(arguments.history), arguments.replicas
    if path.is_dir():
        path, replicas, _ = in_folder(path, replicas)
    show_written(import_nats(path, arguments.output, replicas=replicas), arguments.output)
    return ExitCode.HOLDS


def history(arguments: Namespace) -> int:
    """Import what clients of any log did and were told."""
    from conformance.importers.commands import history as import_history

    written = import_history(
        arguments.history,
        arguments.output,
        in_order=arguments.in_order,
        clock_bound_ns=arguments.clock_bound_ns,
        promises=arguments.promise,
    )
    show_written(written, arguments.output)
    return ExitCode.HOLDS


def in_folder(
    folder: Path, replicas: Path | str | None = None, before_restart: Path | str | None = None
) -> tuple[Path, Path | str | None, Path | str | None]:
    """The history, the replicas and the earlier look of a recorded folder; a file that is named outweighs its own."""

    def named(name: str) -> Path:
        paths = [folder / f"{name}{ending}" for ending in (".jsonl.zst", ".jsonl")]
        return next((path for path in paths if path.exists()), paths[0])

    def if_there(name: str) -> Path | None:
        return path if (path := named(name)).exists() else None

    return named("history"), replicas or if_there("replicas"), before_restart or if_there("before_restart")


def import_folder(folder: Path, output: str, acks: str | None, min_insync: int | None) -> int:
    """Import a folder with a Kafka recording; gives the number of events.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with a file.
    """
    from conformance.importers.commands import kafka as import_kafka

    path, replicas, before = in_folder(folder)
    return import_kafka(path, output, replicas=replicas, before_restart=before, acks=acks, min_insync=min_insync)


def show_written(events: int, output: str) -> None:
    """Say what was written."""
    print(f"{events:,} events written to {output}; judge them: quorate check {shlex.quote(output)}")
