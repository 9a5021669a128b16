"""Authoritative statuses: which nodes' silence means what. LogDevice, Read path, Authoritative Status."""

from __future__ import annotations

from typing import NamedTuple

from reference_impl.kernel.step import Note
from reference_impl.log import notes
from reference_impl.log.copies import Nodes

NOBODY: Nodes = frozenset()


class Statuses(NamedTuple):
    """One version of the event log's table; nodes that it does not name are FULLY_AUTHORITATIVE.

    Attributes:
        since: the version at which copies were last lost or moved; answers from before that count no longer.
    """

    version: int = 0
    since: int = 0
    unavailable: Nodes = NOBODY
    underreplicated: Nodes = NOBODY
    empty: Nodes = NOBODY

    @property
    def gone(self) -> Nodes:
        """Nodes that no longer hold what they once stored: they do not count as holders of copies."""
        return self.underreplicated | self.empty

    def note(self) -> Note:
        """The event that records this version."""
        return notes.statuses(self.version, self.unavailable, self.underreplicated, self.empty)

    def with_down(self, nodes: Nodes) -> Statuses:
        """The next version, in which these nodes are known to be down."""
        return self._replace(version=self.version + 1, unavailable=nodes)

    def with_lost(self, node: int) -> Statuses:
        """The next version: the data of a node is gone and not yet copied."""
        version = self.version + 1
        return Statuses(version, version, self.unavailable - {node}, self.underreplicated | {node}, self.empty)

    def with_empty(self, node: int) -> Statuses:
        """The next version: whatever the node held lies elsewhere now."""
        version = self.version + 1
        return Statuses(version, version, self.unavailable - {node}, self.underreplicated - {node}, self.empty | {node})

    def with_back(self, node: int) -> Statuses:
        """The next version: the node serves again."""
        version = self.version + 1
        return Statuses(version, version, self.unavailable, self.underreplicated, self.empty - {node})
