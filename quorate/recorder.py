"""A recorder: a recording that is kept in a file, whatever becomes of the process.

While it records, the file is called ``NAME.unfinished``. Each event is handed to the system at once and whole, so a
process that is killed leaves a trace of all that it recorded. When the recorder is closed, the trace gets its name, its
clients' names, and a last line that counts its events.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

from conformance.trace.errors import NotWritable
from conformance.trace.files import atomic
from conformance.trace.header_json import header_to_json
from conformance.trace.json_text import encode
from conformance.trace.jsonl import END, END_LINE
from quorate.errors import RecorderClosed, RecorderFailed, UnfinishedTrace
from quorate.recording import Recording, Subject

UNFINISHED: Final = ".unfinished"
"""What the name of a file ends with in which a recorder still writes, or that one has left behind."""

NOTE: Final = "Unfinished: its recorder was never closed. What was recorded until then is judged."


class Recorder(Recording):
    """Writes a trace of what clients do and are told, as JSON lines; a context manager.

    All clients of the log must be recorded by it, else what others append looks invented. Threads and asyncio tasks may
    share it; processes may not.

    Args:
        path: the trace; it has this name only once the recorder is closed.
        system: the name of the log's software, perhaps with its version.
        promises: what the log promises, by the names that ``quorate rules promises`` lists.
        nodes: names of the nodes that faults may hit.
        unseen: kinds of event that happen and are not recorded, such as ``trim``.
        esn_bits: how many bits the number in an LSN may have.

    Raises:
        UnfinishedTrace: an earlier recorder has left a file of this name.
        NotWritable: the folder refuses.
        TraceError: another of its kinds, if what is said of the system is not what a header may say.
    """

    def __init__(
        self,
        path: Path | str,
        *,
        system: str = "log",
        promises: Iterable[str] = (),
        nodes: Iterable[str] = (),
        unseen: Iterable[str] = (),
        esn_bits: int = 32,
    ) -> None:
        super().__init__(self._keep, Subject(system, tuple(promises), tuple(nodes), tuple(unseen), esn_bits))
        self.path = Path(path)
        self.unfinished = self.path.with_name(self.path.name + UNFINISHED)
        self.events = 0
        first = encode(header_to_json(self.header(note=NOTE, named=False))) + b"\n"
        self._file: int | None = _created(self.unfinished)
        self._begins = self._size = len(first)
        os.write(self._file, first)

    def __enter__(self) -> Self:
        """The recorder itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it, also after an error: what was recorded is whole."""
        self.close()

    def close(self) -> None:
        """Give the trace its name; a second time this does nothing.

        Raises:
            NotWritable: the folder or the disk refuses; the unfinished file is still there.
        """
        file, self._file = self._file, None
        if file is None:
            return
        os.close(file)
        with self.unfinished.open("rb") as recorded, atomic(self.path) as target, target.open("xb") as whole:
            whole.write(encode(header_to_json(self.header()) | {END_LINE: True}) + b"\n")
            recorded.seek(self._begins)
            shutil.copyfileobj(recorded, whole, 1 << 20)
            whole.write(encode({END: self.events}) + b"\n")
        self.unfinished.unlink()

    def _keep(self, line: bytes) -> None:
        if self._file is None:
            raise RecorderClosed("an event after the end", "the recorder is closed", "record inside its `with` block")
        try:
            written = os.write(self._file, line)
        except OSError as error:
            raise self._failed(error.strerror or str(error)) from None
        if written < len(line):
            with suppress(OSError):  # a line that is cut short would spoil those before it
                os.ftruncate(self._file, self._size)
            raise self._failed("the disk took a part of an event only")
        self._size += written
        self.events += 1

    def _failed(self, why: str) -> RecorderFailed:
        return RecorderFailed("an event cannot be written", why, "a disk with room", str(self.unfinished))


def _created(path: Path) -> int:
    try:
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o666)
    except FileExistsError:
        raise UnfinishedTrace(
            "an earlier recording was never closed",
            "its process ended too early, or still runs",
            f"judge it (quorate check {path}), then remove it",
            str(path),
        ) from None
    except OSError as error:
        why = error.strerror or str(error)
        raise NotWritable("cannot be written", why, "a folder that exists and is writable", str(path)) from None
