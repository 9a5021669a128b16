"""A folder that is published is a Delta table: readers see each write whole, or not at all.

Justified by the Delta Transaction Log Protocol, which says what every commit, ``protocol``, ``metaData``, ``add`` and
``remove`` must have. That delta-rs reads these tables was seen with its version 1.6.6.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conformance.trace.delta import files_of
from conformance.trace.delta_writing import publish
from conformance.trace.errors import NotATrace


def written(folder: Path, name: str, rows: int = 3) -> Path:
    pq.write_table(pa.table({"rule": ["a rule"] * rows, "k0": pa.array(range(rows), pa.int64())}), folder / name)
    return folder / name


def commits(folder: Path) -> list[list[dict[str, Any]]]:
    """The actions of each commit, in order."""
    paths = sorted((folder / "_delta_log").iterdir())
    assert [path.name for path in paths] == [f"{number:020d}.json" for number in range(len(paths))]
    return [[json.loads(line) for line in path.read_text().splitlines()] for path in paths]


def test_the_first_commit_says_what_every_reader_must_know(tmp_path: Path) -> None:
    """Sections "Change Metadata", "Add File and Remove File" and "Protocol Evolution"."""
    path = written(tmp_path, "batch 1.parquet")
    publish(tmp_path)
    ((protocol, metadata, add),) = commits(tmp_path)
    assert protocol == {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}
    assert metadata["metaData"]["format"] == {"provider": "parquet", "options": {}}
    assert metadata["metaData"]["partitionColumns"] == []
    assert json.loads(metadata["metaData"]["schemaString"]) == {
        "type": "struct",
        "fields": [
            {"name": "rule", "type": "string", "nullable": True, "metadata": {}},
            {"name": "k0", "type": "long", "nullable": True, "metadata": {}},
        ],
    }
    said = add["add"]
    assert (said["path"], said["size"], said["dataChange"]) == ("batch%201.parquet", path.stat().st_size, True)
    assert (said["partitionValues"], json.loads(said["stats"])) == ({}, {"numRecords": 3})


def test_each_commit_has_what_came_and_what_went(tmp_path: Path) -> None:
    first, second = written(tmp_path, "1.parquet"), written(tmp_path, "2.parquet")
    publish(tmp_path)
    publish(tmp_path)
    assert len(commits(tmp_path)) == 1, "nothing was new"
    first.unlink()
    third = written(tmp_path, "3.parquet")
    publish(tmp_path)
    assert files_of(tmp_path) == [second, third]
    assert [name for action in commits(tmp_path)[1] for name in action] == ["add", "remove"]


def test_what_is_known_to_be_new_is_added_alone(tmp_path: Path) -> None:
    first = written(tmp_path, "1.parquet")
    publish(tmp_path, [first])
    second, _ = written(tmp_path, "2.parquet"), written(tmp_path, ".hidden.parquet")
    publish(tmp_path, [second])
    assert files_of(tmp_path) == [first, second]


def test_a_first_commit_that_was_killed_is_made_again(tmp_path: Path) -> None:
    """The folder of the log was there, and no commit in it."""
    (tmp_path / "_delta_log").mkdir()
    path = written(tmp_path, "1.parquet")
    publish(tmp_path)
    assert files_of(tmp_path) == [path]


def test_commits_go_on_after_a_checkpoint(tmp_path: Path) -> None:
    """Other programs may have put what was into a checkpoint, and removed the commits before it."""
    first = written(tmp_path, "1.parquet")
    publish(tmp_path)
    (tmp_path / "_delta_log" / f"{0:020d}.json").unlink()
    pq.write_table(pa.table({"add": [{"path": "1.parquet"}]}), tmp_path / "_delta_log" / f"{7:020d}.checkpoint.parquet")
    second = written(tmp_path, "2.parquet")
    publish(tmp_path)
    assert (tmp_path / "_delta_log" / f"{8:020d}.json").exists()
    assert files_of(tmp_path) == [first, second]


def test_a_folder_without_files_is_left_alone(tmp_path: Path) -> None:
    publish(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_type_that_is_not_written_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"when": pa.array([1], pa.timestamp("ns"))}), tmp_path / "1.parquet")
    with pytest.raises(NotATrace, match="when"):
        publish(tmp_path)
