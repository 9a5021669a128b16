"""A folder of sorted files is judged as one sorted trace where it is one, and by ranges of its own making where not.

Justified by ``spec.columns.blocks``: a block is a contiguous piece of the whole sorted trace.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shutil import copyfile

import pytest

from conformance.trace.file_order import as_one
from conformance.trace.open import Parquet, open_trace
from spec.events import Ack
from tests.support.small_traces import header, write_sorted
from tests.support.tiny import at

E1, E2, E3, E4 = ((log, number) for log, number in ((1, 1), (1, 2), (1, 3), (2, 1)))


def written(folder: Path, files: Sequence[Sequence[tuple[int, int]]]) -> Parquet:
    """A folder with files of acknowledged appends, each a log and a number in it."""
    folder.mkdir()
    for number, some in enumerate(files):
        acks = [
            at(Ack, 1, esn, log=log, writer=7, digest=esn, copyset=frozenset[int](), required=1) for log, esn in some
        ]
        write_sorted(folder / f"{number}.parquet", acks, replace(header(), named={}))
    trace = open_trace(folder)
    assert isinstance(trace, Parquet)
    return trace


@pytest.mark.parametrize(
    ("files", "in_order"),
    [
        ([[E1, E2], [E4]], True),
        ([[E4], [E1, E2]], True),
        ([[E1, E2], [E3, E4]], True),
        ([[E1], [E2], [E3], [E4]], True),
        ([[E1, E3], [E2]], False),
        ([[E2], [E1]], False),
        ([[E1], [E3], [E2]], False),
        ([[E1], [E1]], True),
        ([[E2, E4], [E1]], True),
        ([[E1, E4], [E2]], False),
        ([[E1], [E4], [E2]], True),
    ],
)
def test_files_go_on_where_others_end(tmp_path: Path, files: list[list[tuple[int, int]]], *, in_order: bool) -> None:
    """A log may go on in another file, with a later event, and files may be named in any order."""
    trace = written(tmp_path / "run", files)
    found = as_one(trace)
    assert (found is not None) is in_order
    if found is not None:
        logs = [event["log"] for event in found.events()]
        assert logs == sorted(logs)
        assert sorted(part.path for part in found.parts) == sorted(part.path for part in trace.parts)


def test_an_event_that_stands_in_both_files_is_left_to_the_plan_that_looks_for_doubles(tmp_path: Path) -> None:
    """Where files end and begin with the same event, they are not sorted without doubles."""
    (file,) = written(tmp_path / "run", [[E1, E2]]).parts
    copyfile(file.path, tmp_path / "run" / "1.parquet")
    trace = open_trace(tmp_path / "run")
    assert isinstance(trace, Parquet)
    assert as_one(trace) is None


def test_row_groups_are_compared_with_those_of_other_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file whose last row group but one reaches into the next file is not followed by it."""
    monkeypatch.setattr("conformance.trace.parquet_writing.Target.__init__.__kwdefaults__", {"group": 1})
    assert as_one(written(tmp_path / "good", [[E1, E2], [E3, E4]])) is not None
    assert as_one(written(tmp_path / "bad", [[E1, E4], [E2, E3]])) is None
