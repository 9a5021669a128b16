"""What is known of the reference machine beyond what a trace says; of other systems nothing is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from reference_impl.log.context import LogContext, Timing
from reference_impl.log.delivery.greylist import FIRST_TERM
from reference_impl.log.delivery.local import NAMED_SCOPES
from reference_impl.log.reading import THRESHOLD
from reference_impl.simulate import READERS_AT
from spec.language.parameters import Parameters


class KnownParameters(NamedTuple):
    """What a machine always does.

    Attributes:
        wave_ns: how long a sequencer waits for a wave before it begins the next one; 0 where nobody knows.
        recovery_ns: how long a recovery waits for a wave; 0 where nobody knows.
        alone: a recorder speaks for one node, client or reader.
        room: how many LSNs a reader has room for; 0 where nobody knows.
        tick_ns: what stands for a millisecond of LogDevice's detector of slow nodes; 0 where nobody knows.
        closeness: how close nodes are to readers, in each form of local single copy delivery: by region, and by all
            scopes; none where nobody knows who sends.
    """

    wave_ns: int = 0
    recovery_ns: int = 0
    alone: bool = False
    room: int = 0
    tick_ns: int = 0
    closeness: tuple[Mapping[int, int], ...] = ()

    @property
    def slides_after(self) -> int:
        """A window slides once the reader is more than so many LSNs beyond its beginning."""
        return int(THRESHOLD * (self.room - 1)) if self.room else 0

    @property
    def first_term_ns(self) -> int:
        """How long a node that is slow for the first time is passed over."""
        return int(FIRST_TERM.value) * self.tick_ns


NOTHING_KNOWN: Final = KnownParameters()
"""Nobody knows."""


def known_of(parameters: Parameters) -> KnownParameters:
    """What the reference machine always does in a cluster."""
    everyone = range(parameters.size)
    by_region = {node: _shared(parameters, node, ("region",)) for node in everyone}
    by_scopes = {node: _shared(parameters, node, NAMED_SCOPES) for node in everyone}
    room = int(LogContext.reader_window)
    waits = Timing()
    return KnownParameters(waits.wave_ns, waits.recovery_ns, True, room, waits.detector_tick_ns, (by_region, by_scopes))


def _shared(parameters: Parameters, node: int, scopes: Iterable[str]) -> int:
    """How many location scopes a node shares with readers, from the largest down to the first that it does not."""
    shared = 0
    for scope in scopes:
        domains = parameters.domains_of(scope)
        own, other = ([nodes for nodes in domains if one in nodes] for one in (READERS_AT, node))
        if own != other:
            break
        shared += bool(own)
    return shared
