"""Delta tables, written: a log beside the Parquet files of a folder, so that readers of Delta see whole writes alone.

Readers of plain Parquet pass over the log, whose name begins with an underscore. One process writes a folder at a time.
Source: Delta Transaction Log Protocol: ``protocol``, ``metaData``, ``add`` and ``remove``, and how commits are named.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote
from uuid import uuid4

import pyarrow.parquet as pq

from conformance.trace.delta import CHECKPOINT, COMMIT, LOG, files_of
from conformance.trace.errors import NotATrace
from conformance.trace.files import atomic, placed, readable, visible

PROTOCOL: Final = {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}
"""What every reader and writer of Delta knows."""

TYPES: Final = {"string": "string", "bool": "boolean", "int64": "long", "int32": "integer", "int16": "short"}
"""Delta's names of Arrow's types."""


def publish(folder: Path, new: Iterable[Path] | None = None) -> None:
    """Make a folder of Parquet files a Delta table, or let the one that it is have all files that are there now.

    Args:
        folder: of files that have the same columns; if it has none, it is left as it is.
        new: all files that the table lacks, where that is known: nothing else is looked for then.

    Raises:
        NotATrace: a column has a type that is not written here.
        NotWritable: the folder or the disk refuses.
        Damaged, Truncated: the log that is there cannot be read.
    """
    with placed(folder), readable():
        version = _versions(folder / LOG)
        added, gone = _differences(folder, version) if new is None else ([*new], [])
        if not added and not gone:
            return
        actions = [*map(_add, added), *map(_remove, gone)]
        if not version:
            actions = [PROTOCOL, _metadata(added[0]), *actions]
            (folder / LOG).mkdir(exist_ok=True)
    with atomic(folder / LOG / f"{version:020d}.json") as unfinished:
        unfinished.write_text("".join(f"{json.dumps(action)}\n" for action in actions))


def _differences(folder: Path, version: int) -> tuple[list[Path], list[Path]]:
    """The files that a table does not have yet, and those that it has and are gone."""
    there, known = set(visible(folder.glob("*.parquet"))), set(files_of(folder)) if version else set[Path]()
    return sorted(there - known), sorted(known - there)


def _versions(log: Path) -> int:
    """How many versions of a table there were."""
    names = [path.name for path in log.iterdir()] if log.is_dir() else []
    numbered = (COMMIT.fullmatch(name) or CHECKPOINT.fullmatch(name) for name in names)
    return max((int(found[1]) + 1 for found in numbered if found), default=0)


def _metadata(file: Path) -> dict[str, Any]:
    """A table with the columns of a file."""
    fields = [
        {"name": field.name, "type": _type(field.name, str(field.type)), "nullable": True, "metadata": {}}
        for field in pq.read_schema(file)
    ]
    return {
        "metaData": {
            "id": str(uuid4()),
            "format": {"provider": "parquet", "options": {}},
            "schemaString": json.dumps({"type": "struct", "fields": fields}),
            "partitionColumns": [],
            "configuration": {},
            "createdTime": _now_ms(),
        }
    }


def _type(name: str, arrow: str) -> str:
    if arrow not in TYPES:
        raise NotATrace(f"column {name!r} is {arrow}", "it is written as a Delta table", f"one of {', '.join(TYPES)}")
    return TYPES[arrow]


def _add(path: Path) -> dict[str, Any]:
    about, rows = path.stat(), pq.read_metadata(path).num_rows
    return {
        "add": {
            "path": quote(path.name),
            "partitionValues": {},
            "size": about.st_size,
            "modificationTime": about.st_mtime_ns // 1_000_000,
            "dataChange": True,
            "stats": json.dumps({"numRecords": rows}),
        }
    }


def _remove(path: Path) -> dict[str, Any]:
    return {"remove": {"path": quote(path.name), "deletionTimestamp": _now_ms(), "dataChange": True}}


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
