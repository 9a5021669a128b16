"""Damaged traces: each damage has a named error, wherever and however it is met (conformance.trace.errors).

A damage is never a crash, and never a trace with fewer events. Where only an optional value is NULL the trace stays
readable, and what depends on the value is unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from conformance.trace.arrow import stored
from conformance.trace.commands import convert, show, sort
from conformance.trace.errors import NotSorted, TraceError
from conformance.trace.open import open_trace
from tests.support.damage import DAMAGES, EXPECTED
from tests.support.damage_lines import Damage, Expected, flipped
from tests.support.traces import HEADER, small_events, write_small

COLUMNS = ["lsn", "upto", *dict.fromkeys(column.column for column in stored(HEADER))]


def by_events(path: Path) -> int:
    """Read one event after the other."""
    return sum(1 for _ in open_trace(path).events())


def by_raws(path: Path) -> int:
    """Read the columns of all events."""
    return sum(len(raw["kind"].value) for raw in open_trace(path).raws(COLUMNS))


def by_sort(path: Path) -> int:
    """Sort, then read."""
    target = path.with_name("sorted.parquet")
    sort(path, target)
    return by_events(target)


def by_convert(path: Path) -> int:
    """Convert to JSON lines, then read."""
    target = path.with_name("converted.jsonl")
    convert(path, target)
    return by_events(target)


def by_show(path: Path) -> int:
    """Tell all events to people."""
    return sum("#" in line for line in show(path))


WAYS = (by_events, by_raws, by_sort, by_convert, by_show)

OTHERWISE: dict[tuple[Callable[[Path], int], str], Expected] = {
    (by_raws, "event twice"): None,
    (by_raws, "Parquet event twice"): None,
    (by_raws, "Parquet unknown fields mistyped"): None,
    (by_sort, "events out of order"): None,
    (by_sort, "Parquet rows out of order"): None,
    (by_raws, "folder with a file twice"): NotSorted,
}
"""Columns alone do not tell whether an event stands twice, and do not read unknown fields; sorting mends the order."""


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("name", "damage"), DAMAGES, ids=[name for name, _ in DAMAGES])
def test_each_damage_is_named(tmp_path: Path, name: str, damage: Damage, way: Callable[[Path], int]) -> None:
    source, target = write_small(tmp_path / "sound.jsonl"), tmp_path / "damaged"
    damage(source, target)
    expected = OTHERWISE.get((way, name), EXPECTED[name])
    if expected is None:
        assert way(target) >= len(small_events())
    else:
        with pytest.raises(expected) as caught:
            way(target)
        assert type(caught.value) is expected
        assert str(caught.value).count(str(target)) == 1 or target.is_dir()
        assert caught.value.what
        assert caught.value.why
        assert caught.value.advice
    assert {path.name for path in tmp_path.iterdir()} <= {"sound.jsonl", "damaged", "sorted.parquet", "converted.jsonl"}


@pytest.mark.parametrize("way", WAYS)
def test_the_sound_trace_is_read_in_every_way(tmp_path: Path, way: Callable[[Path], int]) -> None:
    assert way(write_small(tmp_path / "sound.jsonl")) == len(small_events())


def test_there_are_many_damages() -> None:
    assert len(EXPECTED) >= 40
    assert len({expected for expected in EXPECTED.values() if expected is not None}) >= 14


@pytest.mark.parametrize("name", ["absent.jsonl", "folder/absent.parquet"])
def test_an_absent_file_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(TraceError, match="no such file"):
        open_trace(tmp_path / name)


def noisy(sound: bytes, rng: Random) -> bytes:
    """Flip a bit, cut, leave out or put in: what disks, networks and editors do."""
    place, length = rng.randrange(len(sound)), rng.randrange(1, 30)
    return rng.choice(
        (
            flipped(sound, place),
            sound[:place],
            sound[:place] + sound[place + length :],
            sound[:place] + rng.randbytes(length) + sound[place:],
        )
    )


@pytest.mark.parametrize("form", ["t.jsonl", "t.jsonl.zst", "t.parquet"])
def test_noise_anywhere_has_a_name(tmp_path: Path, form: str, rng: Random) -> None:
    """Whatever bytes a file has, reading gives events or a named error; packed forms never give wrong events."""
    source, whole, damaged = tmp_path / "source.jsonl", tmp_path / form, tmp_path / "damaged"
    convert(write_small(source), whole)
    for _ in range(60):
        damaged.write_bytes(noisy(whole.read_bytes(), rng))
        with suppress(TraceError):
            assert list(open_trace(damaged).events()) == small_events() or form == "t.jsonl"
