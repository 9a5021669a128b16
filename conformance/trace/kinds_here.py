"""Kinds here: which events of one block are of some kinds, each set of kinds looked for once."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from spec.columns.column import Array, Mask
from spec.columns.piece import are_of, kinds_of


class KindsHere:
    """The kinds of the events of one block.

    Args:
        kind: the kind of each event.
    """

    def __init__(self, kind: Array) -> None:
        self.kind = kind
        self.here = frozenset(np.array(kinds_of(kind.view(np.uint8)), np.uint8).view(np.int8).tolist())
        self._masks: dict[frozenset[int], Mask] = {}

    def are(self, kinds: Iterable[int]) -> Mask:
        """Which events are of one of these kinds; the fewer kinds are compared, those or all others."""
        wanted = self.here.intersection(kinds)
        if wanted not in self._masks:
            others = self.here - wanted
            few = wanted if len(wanted) <= len(others) else others
            mask = are_of(self.kind, tuple(few))
            self._masks[wanted] = mask if few is wanted else ~mask
        return self._masks[wanted]
