"""JSON lines, plain or zstd by file ending, whole or not there (module `conformance.record.lines`)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.record.lines import read_lines, write_lines

ROWS = [{"node": 0, "value": "p0:0"}, {"node": 1, "value": "▶ \u2028 é"}]
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.jsonl.zst"])
def test_rows_come_back_as_they_were(tmp_path: Path, name: str) -> None:
    write_lines(tmp_path / "new" / name, ROWS)
    assert list(read_lines(tmp_path / "new" / name)) == ROWS
    assert (tmp_path / "new" / name).read_bytes().startswith(ZSTD_MAGIC) == name.endswith(".zst")


def test_an_interrupted_writer_leaves_the_old_file(tmp_path: Path) -> None:
    def interrupted() -> Iterator[dict[str, object]]:
        yield {"node": 0}
        raise KeyboardInterrupt

    write_lines(tmp_path / "rows.jsonl", ROWS)
    with pytest.raises(KeyboardInterrupt):
        write_lines(tmp_path / "rows.jsonl", interrupted())
    assert list(read_lines(tmp_path / "rows.jsonl")) == ROWS
    assert [file.name for file in tmp_path.iterdir()] == ["rows.jsonl"]
