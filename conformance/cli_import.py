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

KAFKA = "quorate import kafka HISTORY --replicas FILE [--before-restart FILE]"


def add(commands: Commands) -> None:
    """Add the commands."""
    example = "quorate import restate examples/restate --output restate.parquet"
    parser = command(commands, "import", "turn a recording of another system into a trace", usage, example=example)
    below = parser.add_subparsers(metavar="SYSTEM", dest="system")
    one = command(
        below,
        "restate",
        "turn a recording of Restate into a trace",
        restate,
        example=example,
        more="Files may be compressed with zstd.",
    )
    one.add_argument("folder", metavar="FOLDER", nargs="?", help="has client and controller (.jsonl or .jsonl.zst)")
    one.add_argument("--client", metavar="FILE", help="what callers saw, where it is not in the folder")
    one.add_argument("--controller", metavar="FILE", help="what the operator saw, where it is not in the folder")
    with_output(one)
    one = command(
        below,
        "kafka",
        "turn a recording of Kafka into a trace",
        kafka,
        example="quorate import kafka examples/kafka-acks1 --acks 1 --min-insync 2 --output kafka.parquet",
        more=f"Or, file by file: {KAFKA} ... Files may be compressed with zstd.",
    )
    one.add_argument(
        "history",
        metavar="HISTORY",
        help="what clients saw; or a folder with history, replicas and before_restart (.jsonl or .jsonl.zst)",
    )
    one.add_argument("--replicas", metavar="FILE", help="what each node held at the end; needed unless in the folder")
    one.add_argument("--before-restart", metavar="FILE", help="what each node held before a killed node came back")
    one.add_argument(
        "--acks", choices=("1", "all"), help="the producers' setting; without it nothing is said of copies"
    )
    one.add_argument("--min-insync", type=count, metavar="N", help="the topic's min.insync.replicas")
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
    told(written, arguments.output)
    return ExitCode.HOLDS


def kafka(arguments: Namespace) -> int:
    """Import a Kafka recording."""
    from conformance.importers.commands import kafka as import_kafka

    history, replicas, before = Path(arguments.history), arguments.replicas, arguments.before_restart
    if history.is_dir():
        history, replicas, before = in_folder(history, replicas, before)
    if replicas is None:
        raise Problem(
            "no --replicas",
            "one history does not say what the nodes held",
            "--replicas FILE, or a folder that has both",
            arguments.history,
        )
    written = import_kafka(
        history,
        arguments.output,
        replicas=replicas,
        before_restart=before,
        acks=arguments.acks,
        min_insync=arguments.min_insync,
    )
    told(written, arguments.output)
    return ExitCode.HOLDS


def in_folder(
    folder: Path, replicas: Path | str | None = None, before_restart: Path | str | None = None
) -> tuple[Path, Path | str, Path | str | None]:
    """The history, the replicas and the earlier look of a recorded folder; a file that is named outweighs its own."""

    def named(name: str) -> Path:
        paths = [folder / f"{name}{ending}" for ending in (".jsonl.zst", ".jsonl")]
        return next((path for path in paths if path.exists()), paths[0])

    before = named("before_restart")
    return named("history"), replicas or named("replicas"), before_restart or (before if before.exists() else None)


def import_folder(folder: Path, output: str, acks: str | None, min_insync: int | None) -> int:
    """Import a folder with a Kafka recording; gives the number of events.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with a file.
    """
    from conformance.importers.commands import kafka as import_kafka

    history, replicas, before = in_folder(folder)
    return import_kafka(history, output, replicas=replicas, before_restart=before, acks=acks, min_insync=min_insync)


def told(events: int, output: str) -> None:
    """Say what was written."""
    print(f"{events:,} events written to {output}; judge them: quorate check {shlex.quote(output)}")
