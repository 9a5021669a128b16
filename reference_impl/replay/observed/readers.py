"""What was observed of readers: which nodes they take for slow."""

from __future__ import annotations

from typing import NamedTuple

from reference_impl.log.copies import Nodes


class OnList(NamedTuple):
    """What one reader said of one node that was slow.

    Attributes:
        times: how often it had listed the node before.
        term: for how long it listed the node last, in nanoseconds.
        since_ns: when; None where nobody knows.
        back_ns: when the node left the list; 0 while it is on it, and where nobody knows.
    """

    times: int
    term: int
    since_ns: int | None
    back_ns: int


class Greylist:
    """The list of one reader in one log.

    Attributes:
        nodes: who is on it.
        filters: the version of the reader's filters when the list changed; 0 before.
        changed_ns: when that was; None where nobody knows.
        known: what was said of each node that is on the list, or was.
    """

    __slots__ = ("changed_ns", "filters", "known", "nodes")

    def __init__(self) -> None:
        self.nodes: Nodes = frozenset()
        self.filters = 0
        self.changed_ns: int | None = None
        self.known: dict[int, OnList] = {}
