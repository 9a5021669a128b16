"""A Delta table is the files that its log names: what it had before is not judged.

Justified by the Delta Transaction Log Protocol.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conformance.check.checking import check
from conformance.trace.delta import files_of
from conformance.trace.errors import Damaged, NotATrace, NotReadable, Truncated
from conformance.trace.open import open_trace
from spec.language.outcomes import Verdict
from tests.support.small_traces import lost, sound, write_sorted


def add(name: str, **more: Any) -> dict[str, Any]:
    return {"add": {"path": name, "partitionValues": {}, "size": 1, "modificationTime": 1, "dataChange": True, **more}}


def remove(name: str) -> dict[str, Any]:
    return {"remove": {"path": name, "dataChange": True}}


PLAIN = {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}


def table(folder: Path, *commits: Iterable[dict[str, Any]], first: int = 0) -> Path:
    """A folder with a log of these commits."""
    (folder / "_delta_log").mkdir(parents=True, exist_ok=True)
    for version, actions in enumerate(commits, first):
        lines = "".join(f"{json.dumps(action)}\n" for action in actions)
        (folder / "_delta_log" / f"{version:020d}.json").write_text(lines)
    return folder


def test_what_was_removed_is_not_judged(tmp_path: Path) -> None:
    """The folder has a broken trace, which the table had before."""
    folder = table(tmp_path, [PLAIN, add("broken.parquet")], [remove("broken.parquet"), add("run%201.parquet")])
    write_sorted(tmp_path / "broken.parquet", lost())
    write_sorted(tmp_path / "run 1.parquet", sound())
    assert files_of(folder) == [tmp_path / "run 1.parquet"]
    assert check(open_trace(folder)).verdict.verdict is not Verdict.VIOLATED
    table(tmp_path, [remove("run%201.parquet"), add("broken.parquet")], first=2)
    assert check(open_trace(folder)).verdict.verdict is Verdict.VIOLATED


def test_commits_before_a_checkpoint_may_be_gone(tmp_path: Path) -> None:
    folder = table(tmp_path, [remove("a.parquet"), add("c.parquet")], first=8)
    rows = pa.Table.from_pylist(
        [{**PLAIN, "add": {"path": None}}, *({"add": {"path": name}} for name in ("a.parquet", "b.parquet"))]
    )
    pq.write_table(rows, tmp_path / "_delta_log" / f"{7:020d}.checkpoint.parquet")
    assert [path.name for path in files_of(folder)] == ["b.parquet", "c.parquet"]


@pytest.mark.parametrize(
    "action",
    [
        add("a.parquet", deletionVector={"storageType": "u"}),
        {"protocol": {"minReaderVersion": 3, "readerFeatures": ["deletionVectors"]}},
        {"metaData": {"configuration": {"delta.columnMapping.mode": "name"}}},
    ],
    ids=["a deletion vector", "a feature", "column mapping"],
)
def test_what_is_not_known_is_refused(tmp_path: Path, action: dict[str, Any]) -> None:
    with pytest.raises(NotATrace, match="asks more of its readers"):
        open_trace(table(tmp_path, [PLAIN, action]))


def test_a_log_with_gaps_is_refused(tmp_path: Path) -> None:
    table(tmp_path, [PLAIN, add("a.parquet")])
    table(tmp_path, [add("b.parquet")], first=2)
    with pytest.raises(Truncated, match="commit 1 is missing"):
        files_of(tmp_path)


def test_an_empty_log_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Truncated, match="log is empty"):
        files_of(table(tmp_path))


def test_a_damaged_checkpoint_and_a_missing_file_are_named(tmp_path: Path) -> None:
    folder = table(tmp_path, [PLAIN, add("gone.parquet")])
    with pytest.raises(NotReadable):
        open_trace(folder)
    (folder / "_delta_log" / f"{7:020d}.checkpoint.parquet").write_bytes(b"no Parquet")
    with pytest.raises(Damaged, match="checkpoint"):
        open_trace(folder)
