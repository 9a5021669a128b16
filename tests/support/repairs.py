"""Small recoveries for tests: shards of a flat cluster, copies by their writer, and rounds with few words."""

from __future__ import annotations

from collections.abc import Iterable

from reference_impl.log.repair.digest import Arrival, Digest, digest_of
from reference_impl.log.repair.held import Held, Shards
from reference_impl.log.repair.nodeset import Nodeset
from reference_impl.log.repair.plan import BridgesFrom, Round
from spec.log.quorum import Authority
from spec.log.topology import Topology


def by_sequencer(wave: int = 1) -> Held:
    """A record as the sequencer stored it."""
    return Held(wave)


def by_recovery(seal: int) -> Held:
    """A record as a recovery stored it."""
    return Held(seal, by_recovery=True)


def hole(seal: int) -> Held:
    """A hole."""
    return Held(seal, by_recovery=True, is_hole=True)


def bridge(seal: int) -> Held:
    """A bridge."""
    return Held(seal, by_recovery=True, is_hole=True, is_bridge=True)


def streamed(wave: int = 1) -> Held:
    """A record of a stream, as the sequencer stored it."""
    return Held(wave, in_stream=True)


def flat(shards: int, copies: int) -> Nodeset:
    """So many shards without locations, and so many copies of each record."""
    return Nodeset.of(frozenset(range(shards)), {"node": copies}, Topology.flat(shards).parameters())


def digest(*arrivals: Arrival) -> Digest:
    """A digest of copies that arrived in this order: shard, ESN, copy."""
    return digest_of(arrivals)


def chosen(
    nodeset: Nodeset,
    seal: int = 9,
    known_good: int = 0,
    mutation_set: Iterable[int] | None = None,
    authority: Authority = Authority.AUTHORITATIVE_INCOMPLETE,
    bridges_from: BridgesFrom = BridgesFrom.WHOLE_DIGEST,
) -> Round:
    """A round in which all shards are mutated unless it says which, and empty epochs get bridges."""
    shards: Shards = nodeset.shards if mutation_set is None else frozenset(mutation_set)
    return Round(nodeset, seal, known_good, shards, authority, bridges_from=bridges_from)
