"""Following: a file that grows, as traces of what was in it when somebody looked.

A line that is still being written is left for the next look.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from conformance.trace.errors import NotReadable
from conformance.trace.files import readable
from conformance.trace.jsonl import END

UNFINISHED: Final = ".unfinished"
"""What the name of a file ends with in which a recorder still writes; then it gets its name."""

SHARE: Final = 20
"""It is looked at again once it has grown by one part in so many, or has not grown since the last look."""


def growing(path: Path, wait: Callable[[], object]) -> Iterator[Path]:
    """A trace of what the file has, each time that it has grown; ends when it is whole, or gone.

    Args:
        path: JSON lines, plain.
        wait: waits a little.

    Raises:
        NotReadable: there is no such file, or it cannot be read.
    """
    with TemporaryDirectory(prefix="quorate-") as folder:
        copy, told, size = Path(folder) / path.name, 0, 0
        copy.touch()
        while True:
            before, (size, last) = size, _copied(path, copy)
            if is_gone := size < 0:
                size = before
            ended = last.startswith(f'{{"{END}"'.encode())
            if size > told and (ended or is_gone or size == before or size - told > told // SHARE):
                told = size
                if not is_gone:
                    yield copy
            if is_gone:
                yield from _named(path)
            if ended or is_gone:
                return
            wait()


def _named(path: Path) -> Iterator[Path]:
    """The trace under the name that its recorder has given it."""
    whole = path.with_name(path.name.removesuffix(UNFINISHED))
    if whole != path and whole.exists():
        yield whole


def _copied(path: Path, copy: Path) -> tuple[int, bytes]:
    """Copy what has come since, up to the last whole line; gives the size (-1: it is gone) and the last line."""
    have = copy.stat().st_size
    try:
        with readable(), path.open("rb") as source, copy.open("ab") as target:
            source.seek(have)
            lines = source.read()
            whole = lines[: lines.rfind(b"\n") + 1]
            target.write(whole)
    except NotReadable:
        if have:
            return -1, b""
        raise
    return have + len(whole), whole[whole.rfind(b"\n", 0, -1) + 1 :]
