"""Read ZooKeeper's transaction log directly: every change that it made, in order, with its time.

Format: ZooKeeper, server/persistence/FileTxnLog.java and zookeeper.jute: a header, then records of a checksum, a length
and so many bytes, each followed by one byte more. The file is allocated ahead: a record of length 0 is the end.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from conformance.record.errors import DamagedFile

_MAGIC: Final = b"ZKLG"
_RECORDS_BEGIN: Final = 16
_FRAME: Final = struct.Struct(">qi")
_HEADER: Final = struct.Struct(">qiqqi")
_INT: Final = struct.Struct(">i")
_CREATE, _DELETE, _SET, _MULTI, _CREATE_WITH_STAT = 1, 2, 5, 14, 15
_CLOSE_SESSION: Final = -11


@dataclass(frozen=True)
class Changed:
    """One change of one node of the tree.

    Attributes:
        time_ms: the server's wall clock, in milliseconds.
        session: whose request it was.
        path: the node.
        data: what it says now; None if it is gone.
        version: how often its data were set since it was created.
    """

    time_ms: int
    session: int
    path: str
    data: bytes | None
    version: int = 0


def read_transactions(content: bytes) -> Iterator[Changed]:
    """The changes of a log, in order; what a session leaves behind when it ends is removed one by one.

    Raises:
        DamagedFile: it is no transaction log.
    """
    if not content.startswith(_MAGIC):
        raise DamagedFile(0, f"{content[: len(_MAGIC)]!r}: no transaction log of ZooKeeper")
    at = _RECORDS_BEGIN
    while at + _FRAME.size <= len(content):
        _, length = _FRAME.unpack_from(content, at)
        at += _FRAME.size
        if length <= 0 or at + length >= len(content):
            return
        session, _, _, time_ms, kind = _HEADER.unpack_from(content, at)
        yield from _changes(kind, content[at + _HEADER.size : at + length], time_ms, session)
        at += length + 1


def _changes(kind: int, record: bytes, time_ms: int, session: int) -> Iterator[Changed]:
    if kind == _MULTI:
        (parts,), at = _INT.unpack_from(record), _INT.size
        for _ in range(parts):
            (of_kind,) = _INT.unpack_from(record, at)
            part, at = _buffer(record, at + _INT.size)
            yield from _changes(of_kind, part, time_ms, session)
    elif kind == _CLOSE_SESSION:
        for path in _paths(record):
            yield Changed(time_ms, session, path, None)
    elif kind in {_CREATE, _CREATE_WITH_STAT, _SET, _DELETE}:
        name, at = _buffer(record, 0)
        data, at = (None, at) if kind == _DELETE else _buffer(record, at)
        version = _INT.unpack_from(record, at)[0] if kind == _SET else 0
        yield Changed(time_ms, session, name.decode(), data, version)


def _paths(record: bytes) -> Iterator[str]:
    """The nodes that go with a session; older servers do not tell them."""
    if len(record) < _INT.size:
        return
    (count,), at = _INT.unpack_from(record), _INT.size
    for _ in range(count):
        path, at = _buffer(record, at)
        yield path.decode()


def _buffer(record: bytes, at: int) -> tuple[bytes, int]:
    """Bytes behind their length, and the position after them; a length of -1 says that there are none."""
    (length,) = _INT.unpack_from(record, at)
    at += _INT.size
    return record[at : at + max(length, 0)], at + max(length, 0)
