"""Files: opened with named errors, read through zstd where the content says so, and written whole or not at all."""

from __future__ import annotations

import io
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO, Final

import zstandard

from conformance.trace.errors import Damaged, NotReadable, NotWritable, TraceError, Truncated

ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
PARQUET_MAGIC: Final = b"PAR1"
SLICE: Final = 1024
"""Compressed bytes decoded at once: however dense they are, they give no more than about 32 MiB."""


@contextmanager
def placed(where: Path | str) -> Iterator[None]:
    """Put a place in front of the places that errors of this block name."""
    try:
        yield
    except TraceError as error:
        raise error.at(where) from None


@contextmanager
def readable() -> Iterator[None]:
    """Name what the system has against reading a file.

    Raises:
        NotReadable: it cannot be opened or read.
    """
    try:
        yield
    except FileNotFoundError:
        raise NotReadable("no such file", "nothing has this name", "check the path") from None
    except OSError as error:
        raise NotReadable("cannot be read", error.strerror or str(error), "check its permissions and kind") from None


@contextmanager
def atomic(target: Path) -> Iterator[Path]:
    """A temporary name in the target's folder; it becomes the target at the end, or vanishes on any failure.

    Raises:
        NotWritable: the folder or the disk refuses; other errors pass through.
    """
    unfinished = target.with_name(f".{target.name}.{secrets.token_hex(6)}")
    try:
        yield unfinished
        with unfinished.open("rb+") as written:
            os.fsync(written.fileno())
        unfinished.replace(target)
        _sync_folder(target.parent)
    except OSError as error:
        why = error.strerror or str(error)
        raise NotWritable(
            "cannot be written", why, "a folder that exists, is writable and has room", str(target)
        ) from None
    finally:
        with suppress(OSError):
            unfinished.unlink()


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable, where the system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def is_parquet_name(path: Path) -> bool:
    """Whether what is written under this name is to be Parquet."""
    return path.suffix == ".parquet"


def first_bytes(path: Path, count: int = 4) -> bytes:
    """How a file begins.

    Raises:
        NotReadable: it cannot be opened.
    """
    with readable(), path.open("rb") as file:
        return file.read(count)


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a file, decoded if its content is zstd, whatever its name.

    Raises:
        NotReadable: it cannot be opened or read.
        Truncated, Damaged: while reading, if the frames are cut short or broken.
    """
    zstd = first_bytes(path) == ZSTD_MAGIC
    with readable(), path.open("rb") as file:
        yield io.BufferedReader(_Frames(file, path), 1 << 18) if zstd else file


@contextmanager
def writing(path: Path, *, zstd: bool) -> Iterator[IO[bytes]]:
    """A file to write bytes to, in one zstd frame with a checksum if so wanted."""
    with path.open("xb") as file:
        if not zstd:
            yield file
            return
        with zstandard.ZstdCompressor(level=9, write_checksum=True).stream_writer(file, closefd=False) as frame:
            yield frame


class _Frames(io.RawIOBase):
    """What the zstd frames of a file say together; a frame cut short is an error, not an end."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self.file, self.path = file, path
        self.ready = memoryview(b"")
        self.frame: Any = None
        self.next = b""

    def readable(self) -> bool:
        """It is read from."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer with decoded bytes; 0 at the end."""
        while not self.ready:
            if not (self.next or self._more()):
                return 0
            self._decode()
        size = min(len(buffer), len(self.ready))
        buffer[:size] = self.ready[:size]
        self.ready = self.ready[size:]
        return size

    def _more(self) -> bool:
        self.next = self.file.read(SLICE)
        if not self.next and self.frame is not None:
            raise Truncated("the last zstd frame is cut short", "the file ends inside it", "record or copy it again")
        return bool(self.next)

    def _decode(self) -> None:
        self.frame = self.frame or zstandard.ZstdDecompressor().decompressobj()
        try:
            self.ready = memoryview(self.frame.decompress(self.next))
        except zstandard.ZstdError as error:
            raise Damaged("a zstd frame is broken", str(error), "record or copy it again") from None
        self.next = b""
        if self.frame.eof:
            self.next, self.frame = self.frame.unused_data, None
