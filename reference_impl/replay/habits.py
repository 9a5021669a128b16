"""Habits: what is known of the reference machine beyond what a trace says; of other systems nothing is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from reference_impl.log.machine import Machine, Timing
from reference_impl.log.reader import THRESHOLD
from reference_impl.simulate import READERS_AT
from spec.language.parameters import Parameters


class Habits(NamedTuple):
    """What a machine always does.

    Attributes:
        wave_ns: how long a sequencer waits for a wave before it begins the next one; 0 where nobody knows.
        recovery_ns: how long a recovery waits for a wave; 0 where nobody knows.
        alone: a recorder speaks for one node, client or reader.
        room: how many LSNs a reader has room for; 0 where nobody knows.
        closeness: how close nodes are to readers, in local single copy delivery; None where nobody knows who sends.
    """

    wave_ns: int = 0
    recovery_ns: int = 0
    alone: bool = False
    room: int = 0
    closeness: Mapping[int, int] | None = None

    @property
    def slides_after(self) -> int:
        """A window slides once the reader is more than so many LSNs beyond its beginning."""
        return int(THRESHOLD * (self.room - 1)) if self.room else 0


NO_HABITS: Final = Habits()
"""Nobody knows."""


def habits_of(parameters: Parameters) -> Habits:
    """The habits of the reference machine in a cluster."""
    regions = [nodes for nodes in parameters.domains_of("region") if READERS_AT in nodes]
    near = frozenset[int]().union(*regions)
    return Habits(
        Timing().wave_ns,
        Timing().recovery_ns,
        True,
        int(Machine.reader_window),
        {node: int(node in near) for node in range(parameters.nodes)},
    )
