"""Copies: what nodes hold, what recoveries decide, and sets of nodes."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

Nodes: TypeAlias = frozenset[int]
"""A set of storage nodes, by number."""


class Outcome(NamedTuple):
    """What a recovery makes of one ESN: a record with a digest, which may belong to a stream, a hole, or the bridge."""

    esn: int
    becomes: int
    digest: int
    in_stream: bool = False


class Cleaned(NamedTuple):
    """What the recovery of one epoch came to; every node can repair its copies with it, at any later time.

    Attributes:
        epoch: the epoch that is clean.
        recovery: the epoch of the sequencer that recovered it.
        known_good: the last known good ESN, above which the recovery decided every ESN.
        outcomes: its decisions in order; the last one is the bridge, unless too few nodes had kept what they stored.
    """

    epoch: int
    recovery: int
    known_good: int
    outcomes: tuple[Outcome, ...]

    @property
    def end(self) -> int:
        """The last ESN of the epoch that means anything."""
        return self.outcomes[-1].esn if self.outcomes else self.known_good


class Copy(NamedTuple):
    """What a node holds at an LSN.

    Attributes:
        becomes: RECORD, HOLE or BRIDGE.
        recovery: the epoch of the recovery that wrote it, 0 for the sequencer.
        wave: which attempt of the writer.
        damaged: its checksum is wrong, so that nobody can read it.
        in_stream: it is a record of a stream of appends, each of which needs those before it.
    """

    becomes: int
    digest: int
    recovery: int
    wave: int
    copyset: Nodes
    damaged: bool = False
    in_stream: bool = False
