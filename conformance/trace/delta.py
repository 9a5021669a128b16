"""Delta tables: which files of a folder the table has now. Others lie there too, which it had before.

Source: Delta Transaction Log Protocol: commits and checkpoints below ``_delta_log``, actions ``add``, ``remove``,
``metaData`` and ``protocol``. Of what a table may ask of its readers, only what changes nothing in its files is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

import pyarrow.parquet as pq

from conformance.trace.errors import Damaged, NotATrace, Truncated
from conformance.trace.files import is_parquet_name, placed, readable, visible
from conformance.trace.json_text import decode
from conformance.trace.typed import mapping

LOG: Final = "_delta_log"
COMMIT: Final = re.compile(r"(\d{20})\.json")
CHECKPOINT: Final = re.compile(r"(\d{20})\.checkpoint(\.\d{10}\.\d{10})?\.parquet")

HARMLESS: Final = frozenset({"timestampNtz", "vacuumProtocolCheck"})
"""What readers may be asked for, and need not know to read a trace."""

ADVICE: Final = "write the table anew as plain Parquet with quorate"


def is_delta(folder: Path) -> bool:
    """Whether a folder is a Delta table."""
    return (folder / LOG).is_dir()


def files_now(folder: Path) -> list[Path]:
    """The Parquet files of a folder, by name: of a Delta table, those that it has after its last commit.

    Raises:
        TraceError: as ``files_of``.
    """
    return visible(files_of(folder) if is_delta(folder) else filter(is_parquet_name, folder.glob("*")))


def files_of(folder: Path) -> list[Path]:
    """The files that a Delta table has after its last commit, by name.

    Raises:
        NotATrace: it asks more of readers than is known here.
        Truncated: a commit is missing.
        Damaged: the log cannot be read.
    """
    live = dict[str, None]()
    with placed(folder / LOG), readable():
        for action in _actions(folder / LOG):
            _refuse_unknown(action)
            added, removed = action.get("add") or {}, action.get("remove") or {}
            if added.get("deletionVector"):
                raise _refused("deletion vectors")
            live.pop(str(removed.get("path")), None)
            if added.get("path") is not None:
                live[str(added["path"])] = None
    return sorted(folder / unquote(name) for name in live)


def _actions(log: Path) -> Iterator[dict[str, Any]]:
    """All actions from the last checkpoint on."""
    names = sorted(path.name for path in log.iterdir())
    checkpoints = [found for name in names if (found := CHECKPOINT.fullmatch(name))]
    last = max((int(found[1]) for found in checkpoints), default=-1)
    yield from _of_checkpoint(log / found[0] for found in checkpoints if int(found[1]) == last)
    later = [(int(found[1]), found[0]) for name in names if (found := COMMIT.fullmatch(name)) and int(found[1]) > last]
    for wanted, (version, name) in enumerate(later, last + 1):
        if version != wanted:
            raise Truncated(f"commit {wanted} is missing", f"the next one is {version}", "copy the table again")
        for line in (log / name).read_text(encoding="utf-8").splitlines():
            yield mapping(name, decode(line))
    if last < 0 and not later:
        raise Truncated("a Delta table without commits", "its log is empty", "copy the table again")


def _of_checkpoint(paths: Iterable[Path]) -> Iterator[dict[str, Any]]:
    for path in paths:
        try:
            yield from pq.read_table(path).to_pylist()
        except (ValueError, OSError) as error:
            why = " ".join(str(error).split())[:200]
            raise Damaged(f"checkpoint {path.name}", why, "copy the table again") from None


def _refuse_unknown(action: dict[str, Any]) -> None:
    """Refuse a table whose files say something else than they say to whoever reads Parquet."""
    protocol, metadata = action.get("protocol") or {}, action.get("metaData") or {}
    if strange := set(protocol.get("readerFeatures") or ()) - HARMLESS:
        raise _refused(", ".join(sorted(strange)))
    settings = dict(metadata.get("configuration") or {})
    if settings.get("delta.columnMapping.mode", "none") != "none":
        raise _refused("columns by other names")


def _refused(feature: str) -> NotATrace:
    return NotATrace("a Delta table that asks more of its readers", f"it has {feature}", ADVICE)
