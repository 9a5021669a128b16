"""Authoritative statuses: which nodes' silence means what. LogDevice, Read path, Authoritative Status."""

from __future__ import annotations

from typing import NamedTuple

from reference_impl.kernel.step import Note
from reference_impl.log import trace_events
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
        return trace_events.statuses(self.version, self.unavailable, self.underreplicated, self.empty)
