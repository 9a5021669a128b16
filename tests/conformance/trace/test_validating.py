"""Validating: every fault that readers stop at is named with its line or row, and what follows it is looked at too.

The readers are the judges: a trace has a first fault just where a reading of it ends (conformance.trace.errors).
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conformance.cli import main
from conformance.trace import jsonl, parquet_writing
from conformance.trace.commands import convert
from conformance.trace.errors import (
    Duplicated,
    Mistyped,
    NotReadable,
    NotSorted,
    Oversized,
    TraceError,
    UnknownPartition,
)
from conformance.trace.faults import Enough, Faults
from conformance.trace.files import writing
from conformance.trace.open import open_trace
from conformance.trace.register import Register
from conformance.trace.validate import MOST, validate
from tests.support.damage import DAMAGES, EXPECTED
from tests.support.damage_lines import STORE, Damage
from tests.support.traces import NAMELESS, Event, small_events, write_small

Output = pytest.CaptureFixture[str]


def places(faults: tuple[TraceError, ...]) -> list[str]:
    """Where faults are, without the path."""
    return [fault.where.partition(", ")[2] for fault in faults]


def many(count: int) -> list[Event]:
    """Stores of one recorder, each at an LSN of its own."""
    return [{**small_events()[4], "esn": number, "seq": number} for number in range(count)]


def read_through(path: Path) -> TraceError | None:
    """What a reading ends with."""
    try:
        for _ in open_trace(path).events():
            pass
    except TraceError as error:
        return error
    return None


@pytest.mark.parametrize(("name", "damage"), DAMAGES, ids=[name for name, _ in DAMAGES])
def test_each_damage_is_among_the_faults(tmp_path: Path, name: str, damage: Damage) -> None:
    damage(write_small(tmp_path / "sound.jsonl"), tmp_path / "damaged")
    found = validate(tmp_path / "damaged")
    assert len(found.faults) <= MOST
    if EXPECTED[name] is None:
        assert found.faults == ()
        assert found.events == len(small_events())
    else:
        assert EXPECTED[name] in {type(fault) for fault in found.faults}
        assert all(str(tmp_path / "damaged") in fault.where for fault in found.faults)


def test_lines_after_a_fault_are_looked_at(tmp_path: Path) -> None:
    """A trace with a fault in every second line, of five sorts."""
    path = write_small(tmp_path / "t.jsonl")
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[3] = lines[3].replace('"log":1', '"log":9')
    lines[STORE] = "kind=store"
    lines[6] = lines[6].replace('"writer":9', '"writer":"nine"')
    lines[8] = lines[8].replace('"reason":3', '"reason":99')
    lines[9] = lines[5]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = validate(path)
    assert places(found.faults) == [f"line {number}" for number in (4, 5, 7, 9, 10)]
    kinds = [UnknownPartition, Mistyped, Mistyped, Oversized, NotSorted]
    assert [type(fault) for fault in found.faults] == kinds
    assert found.events == 4


def test_an_event_that_stands_twice_is_named_with_both_lines(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    jsonl.write_events(path, NAMELESS, [*many(40), *many(3)])
    faults = validate(path).faults
    assert places(faults) == ["line 42", "line 43", "line 44"]
    assert {type(fault) for fault in faults} == {Duplicated}
    assert "line 2, too" in faults[0].why


@pytest.mark.parametrize("name", ["t.jsonl", "t.jsonl.zst"])
def test_ten_faults_are_enough(tmp_path: Path, name: str) -> None:
    """The first ten; what lies beyond is not read, be it cut."""
    path, sound = tmp_path / name, tmp_path / "sound.jsonl"
    jsonl.write_events(sound, NAMELESS, many(30))
    lines = sound.read_text(encoding="utf-8").splitlines()
    sound.write_text("\n".join([lines[0], *(["{}"] * 30)]) + "\n", encoding="utf-8")
    with writing(path, zstd=path.suffix == ".zst") as file:
        file.write(sound.read_bytes())
    assert places(validate(path).faults) == [f"line {number}" for number in range(2, 12)]
    assert len(validate(path, most=3).faults) == 3


def test_nobody_looks_beyond_the_last_fault_that_is_named() -> None:
    """``conformance.trace.faults``: so many are enough, and the first by place are named, whoever found them."""
    faults, wrong = Faults(2), [NotReadable(f"fault {place}", "", "") for place in (1, 5, 3)]
    faults.add(1, wrong[0])
    with pytest.raises(Enough):
        faults.add(5, wrong[1])
    assert faults.first([(3, wrong[2])]) == (wrong[0], wrong[2])


def test_a_line_that_is_too_long_is_one_fault(tmp_path: Path) -> None:
    path = write_small(tmp_path / "t.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], b'{"x": "' + b"x" * (2 * jsonl.LIMIT) + b'"}\n', *lines[1:9], b"{}\n"]))
    assert places(validate(path).faults)[:2] == ["line 2", "line 11"]


@pytest.mark.parametrize("rows", [[0], [1, 5, 6], [29], list(range(30))])
@pytest.mark.parametrize("size", [7, 1000])
def test_rows_are_named_in_their_row_groups(tmp_path: Path, rows: list[int], size: int) -> None:
    """Whatever blocks are read at once: each faulty row is named, and no other."""
    path = tmp_path / "t.parquet"
    parquet_writing.write_events(path, NAMELESS, many(30))
    file = pq.ParquetFile(path)
    table, metadata = file.read(), file.metadata.metadata
    file.close()
    nodes = [99 if row in rows else 3 for row in range(30)]
    table = table.set_column(table.column_names.index("node"), "node", pa.array(nodes, pa.int16()))
    pq.write_table(table.replace_schema_metadata(metadata), path, row_group_size=size)
    wanted = [f"row group {row // size}, row {row % size + 1}" for row in rows]
    assert places(validate(path).faults) == wanted[:MOST]


def noisy_lines(lines: list[str], rng: Random) -> list[str]:
    """Lines with some fields of some of them changed."""
    for _ in range(rng.randrange(4)):
        place = rng.randrange(1, len(lines))
        said = json.loads(lines[place])
        said[rng.choice(sorted(said))] = rng.choice([None, -1, "x", 10**30, [9], 1])
        lines[place] = json.dumps(said)
    return lines


def test_the_first_fault_is_where_a_reading_ends(tmp_path: Path, rng: Random) -> None:
    """Reading and validating agree on what is sound, and on the first thing that is not; in both encodings."""
    source, path = write_small(tmp_path / "sound.jsonl"), tmp_path / "t.jsonl"
    lines = source.read_text(encoding="utf-8").splitlines()
    for _ in range(200):
        path.write_text("\n".join(noisy_lines(list(lines), rng)) + "\n", encoding="utf-8")
        ended, faults = read_through(path), validate(path).faults
        assert (ended is None) == (not faults)
        if ended is not None:
            assert (type(faults[0]), faults[0].what, faults[0].where) == (type(ended), ended.what, ended.where)
        else:
            convert(path, tmp_path / "t.parquet")
            assert validate(tmp_path / "t.parquet").faults == ()


@pytest.mark.parametrize("run", [2, 50, 1000])
def test_names_are_compared_on_disk(tmp_path: Path, run: int, rng: Random) -> None:
    """Numbers far apart and out of order: what stands twice is found, in memory for a few names."""
    seqs = [rng.randrange(-(1 << 60), 1 << 60) for _ in range(300)]
    register = Register(tmp_path, run)
    register.add_rows(np.arange(300) % 2, np.array(seqs), 0)
    for place, seq in enumerate([seqs[100], seqs[101], seqs[103]], 300):
        register.add(place % 2, seq, place)
    assert sorted(place for place, _ in register.repeated(["a", "b"], str)) == [300, 301]
    assert bool(list(tmp_path.iterdir())) == (run < 300)


def test_unknown_fields_are_no_fault(tmp_path: Path, capsys: Output) -> None:
    """They may be of a later minor version; who misspelt a field is told."""
    path = write_small(tmp_path / "t.jsonl")
    path.write_text(path.read_text(encoding="utf-8").replace('"reason"', '"copyst":[1],"reason"'), encoding="utf-8")
    convert(path, tmp_path / "t.parquet")
    for name in ("t.jsonl", "t.parquet"):
        assert main(["trace", "validate", str(tmp_path / name)]) == 0
        said = capsys.readouterr().out.splitlines()
        assert said[0] == f"faults: none in {len(small_events())} events"
        assert said[1].startswith("copyst: ")
        assert len(said) == 2


def test_the_command_tells_by_its_exit_code(tmp_path: Path, capsys: Output) -> None:
    path = write_small(tmp_path / "t.jsonl")
    assert main(["trace", "validate", str(path)]) == 0
    assert capsys.readouterr().out == f"faults: none in {len(small_events())} events\n"
    path.write_text(path.read_text(encoding="utf-8").replace('"reason":3', '"reason":99'), encoding="utf-8")
    assert main(["trace", "validate", str(path)]) == 2
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{path}, line 9: reason is 99: it must lie between 1 and 8. Try: ")
    assert last == "faults: 1"
    assert main(["trace", "validate", str(tmp_path / "nowhere.jsonl")]) == 2
    assert "no such file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("wrong", "told"), [(MOST - 1, f"{MOST - 1}"), (MOST, f"{MOST} or more"), (99, f"{MOST} or more")]
)
def test_the_command_says_that_there_may_be_more(tmp_path: Path, capsys: Output, wrong: int, told: str) -> None:
    """Nobody looked beyond the last fault that is named."""
    path = write_small(tmp_path / "t.jsonl")
    header = path.read_text(encoding="utf-8").splitlines()[0].replace('"end_line":true', '"end_line":false')
    sound = path.read_text(encoding="utf-8").splitlines()[1]
    path.write_text("\n".join([header, sound, *["{}"] * wrong]) + "\n", encoding="utf-8")
    assert main(["trace", "validate", str(path)]) == 2
    assert capsys.readouterr().out.splitlines()[-1] == f"faults: {told}"


def test_an_absent_file_is_no_trace_with_faults(tmp_path: Path) -> None:
    with pytest.raises(NotReadable):
        validate(tmp_path / "nowhere.jsonl")
