"""Files: opened with named errors, decoded where the content is zstd or gzip, and written whole or not at all."""

from __future__ import annotations

import io
import os
import secrets
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO, Final, TypeAlias

import zstandard

from conformance.trace.errors import Damaged, NotReadable, NotWritable, TraceError, Truncated

ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
GZIP_MAGIC: Final = b"\x1f\x8b"
GZIP_BITS: Final = 31
"""What tells zlib that its stream is one of gzip, with the largest window."""
PARQUET_MAGIC: Final = b"PAR1"
TRUTH: Final = "truth.json"
"""What the truth of a generated trace is called: it lies beside the files of the trace, and is none of them."""

SLICE: Final = 1024
"""Compressed bytes decoded at once: however dense they are, they give no more than about 32 MiB."""

Decoder: TypeAlias = Callable[[], Any]
"""What makes the decoder of one frame."""


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
    """Whether what is written under this name is to be Parquet, and what lies there in a folder is taken for it."""
    return path.suffix.lower() == ".parquet"


def visible(paths: Iterable[Path]) -> list[Path]:
    """Files by name, without those that begin with a dot or an underscore: they are unfinished, or no data."""
    return sorted(path for path in paths if not path.name.startswith((".", "_")))


def first_bytes(path: Path, count: int = 4) -> bytes:
    """How a file begins.

    Raises:
        NotReadable: it cannot be opened.
    """
    with readable(), path.open("rb") as file:
        return file.read(count)


def is_plain(begins: bytes) -> bool:
    """Whether a file that begins so is neither zstd nor gzip."""
    return _decoder_of(begins) is None


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a file, decoded if its content is zstd or gzip, whatever its name.

    Raises:
        NotReadable: it cannot be opened or read.
        Truncated, Damaged: while reading, if the frames are cut short or broken.
    """
    decoder = _decoder_of(first_bytes(path))
    with readable(), path.open("rb") as file:
        yield file if decoder is None else io.BufferedReader(_Frames(file, path, *decoder), 1 << 18)


def _decoder_of(begins: bytes) -> tuple[str, Decoder] | None:
    """What decodes a file that begins so, and what that is called."""
    if begins == ZSTD_MAGIC:
        return "zstd", lambda: zstandard.ZstdDecompressor().decompressobj()
    if begins.startswith(GZIP_MAGIC):
        return "gzip", lambda: zlib.decompressobj(GZIP_BITS)
    return None


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
    """What the frames of a file say together; a frame cut short is an error, not an end."""

    def __init__(self, file: BinaryIO, path: Path, called: str, decoder: Decoder) -> None:
        self.file, self.path, self.called, self.decoder = file, path, called, decoder
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
            what = f"the last {self.called} frame is cut short"
            raise Truncated(what, "the file ends inside it", "record or copy it again")
        return bool(self.next)

    def _decode(self) -> None:
        self.frame = self.frame or self.decoder()
        try:
            self.ready = memoryview(self.frame.decompress(self.next))
        except (zstandard.ZstdError, zlib.error) as error:
            raise Damaged(f"a {self.called} frame is broken", str(error), "record or copy it again") from None
        self.next = b""
        if self.frame.eof:
            self.next, self.frame = self.frame.unused_data, None
