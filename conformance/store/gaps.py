"""Gaps: what a store has told or kept by its own word and does not have any more."""

from __future__ import annotations

from pathlib import Path

from conformance.store.errors import damaged
from conformance.store.state import State


def refuse_gaps(folder: Path, state: State, told: int) -> None:
    """Make sure that all is there that a state names; what it holds is looked at when it is read.

    Args:
        folder: the store's.
        state: the store's.
        told: how many violations its files have.

    Raises:
        NoStore: something is gone.
    """
    for name, wanted in state.files().items():
        there = {path.name for path in (folder / name).iterdir()}
        if gone := sorted(wanted - there):
            raise damaged(f"{len(gone)} of {len(wanted)} files are gone", folder / name / gone[0])
    if told != state.told:
        raise damaged(f"{state.told} violations were told, and {told} are there", folder / "violations")
