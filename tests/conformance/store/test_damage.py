"""A file of a store that is not what was written is named as damage of the store, and never gives a verdict.

Justified by docs/how-to/watch-a-live-log.md, The store: a store that is damaged is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest

from conformance.store import store as stores
from conformance.store.arrays import read_arrays, write_arrays
from conformance.store.errors import NoStore
from conformance.store.sources import new_slices
from conformance.store.store import Store
from tests.support.planted import HEADER, events, truth, write

DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "cut short": lambda content: content[: len(content) // 2],
    "empty": lambda _: b"",
    "something else": lambda _: b"0123456789" * 30,
    "a byte changed": lambda content: content[:-40] + bytes([content[-40] ^ 1]) + content[-39:],
}

FLIPS = 40
"""Bits of a file that are flipped, one after the other, all over it."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of the planted trace."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "source").mkdir()
    write(folder / "source" / "1.parquet", events())
    store = Store(folder / "store", HEADER, length=200)
    store.append(new_slices(folder / "source", {}, growing=False), is_whole=True)
    assert store.judgement.violations == truth()
    return folder / "store"


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_part_is_named(damage: str, whole: Path, tmp_path: Path) -> None:
    """Each is read when the store is opened again, to see whether it still stands."""
    copytree(whole, tmp_path / "store")
    for path in sorted((tmp_path / "store" / "found").iterdir())[::7]:
        before = path.read_bytes()
        path.write_bytes(DAMAGES[damage](before))
        with pytest.raises(NoStore, match=r"the store is damaged.*judge the trace in a new folder") as named:
            Store(tmp_path / "store", HEADER, length=200).append((), is_whole=True)
        assert path.name in str(named.value)
        path.write_bytes(before)


@pytest.mark.parametrize("kept", ["found/booked-*", "found/tables-*", "violations/*.parquet", "state.json"])
def test_no_flipped_bit_gives_another_verdict(kept: str, whole: Path, tmp_path: Path) -> None:
    """Be it in what a file says of itself: whatever is read when a store is opened is refused, or says the same."""
    copytree(whole, tmp_path / "store")
    path = min((tmp_path / "store").glob(kept))
    before = path.read_bytes()
    for bit in range(0, 8 * len(before), max(1, 8 * len(before) // FLIPS) | 1):
        flipped = bytearray(before)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped)
        try:
            store = Store(tmp_path / "store", HEADER, length=200)
            store.append((), is_whole=True)
        except NoStore:
            copytree(whole, tmp_path / "store", dirs_exist_ok=True)
            continue
        assert (store.judgement.violations, store.violations) == (truth(), truth()), f"bit {bit}"
        assert path.suffix == ".parquet", "what we write ourselves has no bit that says nothing"


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_events_are_named(damage: str, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are read when rules have changed, and called after what they hold."""
    monkeypatch.setattr(stores, "version_of", lambda _: "another")
    copytree(whole, tmp_path / "store")
    for path in sorted((tmp_path / "store" / "events").glob("*.parquet"))[:2]:
        before = path.read_bytes()
        path.write_bytes(DAMAGES[damage](before))
        with pytest.raises(NoStore, match="the store is damaged") as named:
            Store(tmp_path / "store", HEADER, length=200).append((), is_whole=True)
        assert path.name in str(named.value)
        path.write_bytes(before)


@pytest.mark.parametrize("kept", ["events/*", "found/booked-*", "violations/*.parquet"])
def test_a_file_that_is_gone_is_missed(kept: str, whole: Path, tmp_path: Path) -> None:
    """When the store is opened, whether the next batch would read it or not; and nothing is taken back."""
    copytree(whole, tmp_path / "store")
    log = sorted((tmp_path / "store" / "violations" / "_delta_log").iterdir())
    path = max((tmp_path / "store").glob(kept))
    path.unlink()
    for _ in range(2):
        with pytest.raises(NoStore, match=f"/{kept.partition('/')[0]}.*: the store is damaged"):
            Store(tmp_path / "store", HEADER, length=200)
    assert sorted((tmp_path / "store" / "violations" / "_delta_log").iterdir()) == log


def test_arrays_are_what_they_were(tmp_path: Path) -> None:
    """Of any type and shape, empty ones too; and they can be written to, as if they had just been made."""
    arrays = {
        "numbers": np.arange(7, dtype=np.int64),
        "odd": np.array([True, False, True]),
        "words": np.arange(10, dtype=np.int64).reshape(2, 5)[:, ::-1],
        "none": np.zeros((3, 0), np.int64),
        "small": np.array(5, np.int16),
    }
    write_arrays(tmp_path / "some.arrays", arrays, {"said": [1, None, "text"]})
    found, about = read_arrays(tmp_path / "some.arrays")
    assert about == {"said": [1, None, "text"]}
    assert found.keys() == arrays.keys()
    for name, array in arrays.items():
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
        assert (found[name] == array).all()
        assert found[name].flags.writeable
