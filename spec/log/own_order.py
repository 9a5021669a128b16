"""Own order: nodes and readers of whose steps nobody knows which came first.

What a node did in which order its recorder tells. Where several recorders saw a node's steps, each has an order of its
own, and none of them is the node's. The same goes for a reader: what it asks of nodes they may record, each for itself.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import chain
from typing import Final

from spec.events import CleanLearned, Digest, MutationStored, Seal, Selection, Ship, SoftSealed, Store, Trimmed, Turn
from spec.language.bookkeeping import Seen
from spec.language.events import kinds

_STEPS = (Digest, MutationStored, Seal, CleanLearned, Ship, SoftSealed, Store, Trimmed)
STEPS: Final = frozenset(chain.from_iterable(map(kinds, _STEPS)))
"""The kinds of event whose order is asked of one node."""

TURNS: Final = frozenset((*kinds(Turn), *kinds(Selection)))
"""The kinds of event whose order is asked of one reader of one log."""


def scattered(seen: Seen) -> list[tuple[int, ...]]:
    """Those of whose steps, each named by whose it is and by its recorder, several recorders saw some."""
    recorders: dict[tuple[int, ...], set[object]] = defaultdict(set)
    for whose, recorder in seen:
        recorders[whose].add(recorder)
    return sorted(whose for whose, names in recorders.items() if len(names) > 1)
