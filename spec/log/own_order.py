"""Own order: nodes of whose steps nobody knows which came first.

What a node did in which order its recorder tells. Where several recorders saw a node's steps, each has an order of its
own, and none of them is the node's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from spec.events import Digest, Obeyed, Seal, Settled, Ship, SoftSealed, Store, Trimmed

_STEPS = (Digest, Obeyed, Seal, Settled, Ship, SoftSealed, Store, Trimmed)
STEPS: Final = frozenset(event.kind for event in _STEPS if event.kind is not None)
"""The kinds of event whose order is asked of one node."""


def scattered(seen: Iterable[tuple[int, object]]) -> list[int]:
    """The nodes of whose steps, each named by its node and its recorder, several recorders saw some."""
    recorders: dict[int, set[object]] = defaultdict(set)
    for node, recorder in seen:
        recorders[node].add(recorder)
    return sorted(node for node, names in recorders.items() if len(names) > 1)
