"""The states that a search has seen: sorted runs, merged so that there are few of them, or levels on disk."""

from __future__ import annotations

from typing import Final

import numpy as np

from reference_impl.kernel.explorer.columns import Columns, known, merged, without
from reference_impl.kernel.explorer.folder import FolderRecord

MERGED_AT_LEAST: Final = 2
"""A run stays as long as it has so many times the states of the next one."""


class Visited:
    """Ordered sets whose sizes at least halve from each to the next.

    Memory: 8 bytes for each word of each state; the same again for those that merge while they merge.
    """

    def __init__(self) -> None:
        self.runs: list[Columns] = []

    def add(self, states: Columns) -> None:
        """Remember an ordered set of states that were not seen before."""
        if states.shape[1]:
            self.runs.append(states)
        while len(self.runs) > 1 and self.runs[-2].shape[1] < MERGED_AT_LEAST * self.runs[-1].shape[1]:
            self.runs.append(merged(self.runs.pop(), self.runs.pop()))

    def new(self, states: Columns) -> Columns:
        """Those of an ordered set that were not seen before."""
        for run in self.runs:
            states = without(states, run)
        return states


class SpillingVisited(Visited):
    """Keeps runs in memory up to a bound; what is beyond is looked up in the levels on disk, block after block.

    Args:
        record: the levels on disk.
        memory_bytes: how many bytes the runs may have; one level may exceed it while it is new.
    """

    def __init__(self, record: FolderRecord, memory_bytes: int) -> None:
        super().__init__()
        self.record, self.memory_bytes = record, memory_bytes
        self.spilled = 0

    def add(self, states: Columns) -> None:
        """Remember an ordered set; where memory ends, forget the runs, all of whose states are on disk."""
        if sum(run.nbytes for run in self.runs) + states.nbytes > self.memory_bytes:
            self.runs, self.spilled = [], len(self.record.sizes)
        super().add(states)

    def new(self, states: Columns) -> Columns:
        """Those of an ordered set that were not seen before."""
        states = super().new(states)
        seen = np.zeros(states.shape[1], np.bool_)
        for depth in range(self.spilled):
            for block in self.record.blocks(depth, within=states):
                ends = np.searchsorted(states[0], block[0, 0]), np.searchsorted(states[0], block[0, -1], side="right")
                seen[slice(*ends)] |= known(states[:, slice(*ends)], block)
        return states[:, ~seen]
