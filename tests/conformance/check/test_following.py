"""A growing file is told of whenever it has grown, up to its last whole line, and to the end when it is whole.

Justified by docs/how-to/judge-your-own-log.md, While it grows; docs/reference/trace-format.md, JSON lines.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.check.following import growing
from conformance.trace.errors import NotReadable
from quorate import Recorder

HEADER, ONE, TWO, END = (b'{"header":1}\n', b'{"event":1}\n', b'{"event":2}\n', b'{"quorate_end":2}\n')


def grown(path: Path, *parts: bytes | Callable[[], object]) -> list[bytes]:
    """Follow a file to which one part after the other is added; return what is told of it."""
    left = iter(parts)

    def wait() -> None:
        part = next(left, END)
        if isinstance(part, bytes):
            with path.open("ab") as file:
                file.write(part)
        else:
            part()

    return [copy.read_bytes() for copy in growing(path, wait)]


def test_each_growth_is_told_and_a_line_that_is_not_whole_waits(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(HEADER + ONE + TWO[:5])
    assert grown(path, TWO[5:], b"", END) == [HEADER + ONE, HEADER + ONE + TWO, HEADER + ONE + TWO + END]


def test_it_goes_on_under_the_name_that_a_recorder_gives_it(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "run.jsonl")
    recorder.writer("w").append(b"a").acknowledged(0)
    told = grown(recorder.unfinished, recorder.close)
    assert [lines.count(b"\n") for lines in told] == [3, 4]
    assert told[-1] == (tmp_path / "run.jsonl").read_bytes()


def test_a_file_that_is_gone_ends_it_and_one_that_never_was_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(HEADER + ONE)
    assert grown(path, path.unlink) == [HEADER + ONE]
    with pytest.raises(NotReadable):
        grown(path)
