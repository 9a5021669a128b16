"""What ``quorate import`` does: read a recording of another system, write a trace."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from conformance.importers.bookkeeper import import_bookkeeper
from conformance.importers.errors import Contradiction
from conformance.importers.history import import_history
from conformance.importers.kafka import import_kafka
from conformance.importers.nats import import_nats
from conformance.importers.restate import import_restate
from conformance.trace import jsonl, parquet_writing
from conformance.trace.errors import NotReadable
from conformance.trace.files import is_parquet_name
from conformance.trace.header import Header
from conformance.trace.keeping import with_books
from conformance.trace.rows import EventRow

ENDINGS: Final = (".jsonl", ".jsonl.zst")
"""How the files of a recording's folder may end."""


def kafka(
    history: Path | str,
    output: Path | str,
    *,
    replicas: Path | str | None = None,
    before_restart: Path | str | None = None,
    acks: str | None = None,
    min_insync: int | None = None,
) -> int:
    """Write the trace of a Kafka recording; gives the number of events.

    Args:
        history: what clients saw.
        output: Parquet if the name ends with ``.parquet``; JSON lines otherwise, as zstd if it ends with ``.zst``.
        replicas: what each replica held at the end; without it, clients alone are judged.
        before_restart: what each replica held before a killed node came back.
        acks: the producers' setting, ``"1"`` or ``"all"``; without it, nothing is said of copies.
        min_insync: the topic's ``min.insync.replicas``; with ``acks="all"``, Kafka's default of 1 if it is not told.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with a file or the settings.
    """
    header, events = import_kafka(
        Path(history),
        replicas=_path(replicas),
        before_restart=_path(before_restart),
        acks=acks,
        min_insync=min_insync,
    )
    return _write(Path(output), header, events)


def bookkeeper(folder: Path | str, output: Path | str) -> int:
    """Write the trace of a BookKeeper recording; gives the number of events.

    Args:
        folder: has ``history``, ``metadata`` and ``stored``, and may have ``lists``, with one of ``ENDINGS``.
        output: as for ``kafka``.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with a file.
    """
    history, metadata, stored = (_in_folder(folder, name) for name in ("history", "metadata", "stored"))
    lists = next((path for path in (Path(folder) / f"lists{ending}" for ending in ENDINGS) if path.exists()), None)
    header, events = import_bookkeeper(history, metadata, stored, lists)
    return _write(Path(output), header, events)


def nats(history: Path | str, output: Path | str, *, replicas: Path | str | None = None) -> int:
    """Write the trace of a NATS recording; gives the number of events.

    Args:
        history: what clients saw.
        output: as for ``kafka``.
        replicas: what each replica held at the end; without it, clients alone are judged.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with a file.
    """
    header, events = import_nats(Path(history), replicas=_path(replicas))
    return _write(Path(output), header, events)


def history(
    path: Path | str,
    output: Path | str,
    *,
    in_order: bool = False,
    clock_bound_ns: int | None = None,
    promises: Sequence[str] = (),
) -> int:
    """Write the trace of a history that plain clients of any log recorded; gives the number of events.

    Args:
        path: what the clients did and were told, in quorate's form, Jepsen's or Porcupine's.
        output: as for ``kafka``.
        in_order: lines stand in the order in which everything happened.
        clock_bound_ns: the most by which clients' clocks differ; None if nobody knows.
        promises: what the log promises.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with the file or the promises.
    """
    header, events = import_history(Path(path), in_order=in_order, clock_bound_ns=clock_bound_ns, promises=promises)
    return _write(Path(output), header, events)


def restate(
    output: Path | str,
    *,
    folder: Path | str | None = None,
    client: Path | str | None = None,
    controller: Path | str | None = None,
) -> int:
    """Write the trace of a Restate recording; gives the number of events.

    Args:
        output: as for ``kafka``.
        folder: has ``client`` and ``controller``, with one of ``ENDINGS``; a file that is named outweighs it.
        client: what callers of the counters saw.
        controller: what the operator saw, and the faults.

    Raises:
        Contradiction: a file is neither named nor in a folder.
        TraceError: another of its kinds, for whatever is wrong with a file.
    """
    named = {"client": client, "controller": controller}
    found = {name: _in_folder(folder, name) if path is None else Path(path) for name, path in named.items()}
    header, events = import_restate(found["client"], found["controller"])
    return _write(Path(output), header, events)


def _path(name: Path | str | None) -> Path | None:
    return None if name is None else Path(name)


def _in_folder(folder: Path | str | None, name: str) -> Path:
    if folder is None:
        raise Contradiction(f"no {name} file", "neither it nor a folder is named", f"a folder, or the {name} file")
    for ending in ENDINGS:
        if (path := Path(folder) / f"{name}{ending}").exists():
            return path
    wanted = " or ".join(f"{name}{ending}" for ending in ENDINGS)
    raise NotReadable("no such file", f"the folder has no {wanted}", "the folder of a recording").at(folder)


def _write(output: Path, header: Header, events: list[EventRow]) -> int:
    write = parquet_writing.write_events if is_parquet_name(output) else jsonl.write_events
    head, told = with_books(header, events)
    return write(output, head, told, in_order=True)
