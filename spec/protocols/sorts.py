"""What the texts on LogDevice speak about: nodes, writers of an epoch, slots, and the sets that quorums are made of.

Source: LogDevice, Read path, Copyset and Gap detection algorithm; Recovery after the failure of a sequencer.
"""

from __future__ import annotations

from spec.language.protocol import Family, Order, Sort, constant


class Node(Sort):
    """A storage node."""


class Writer(Order):
    """The sequencer (``first``) or a recovery, in order of precedence."""


class Slot(Order):
    """A place in the epoch (ESN)."""


class Value(Sort):
    """A payload, or one of two marks that only a recovery writes."""

    hole = constant()
    bridge = constant()


class Copyset(Family[Node]):
    """Enough nodes to keep a record."""


class FMajority(Family[Node]):
    """Enough nodes to have seen every kept record."""


class Rack(Family[Node]):
    """Nodes that share a rack; in a cluster without racks each node has its own."""
