"""Plans: what a recovery decides for a whole epoch, from the digest to the list of mutations.

LogDevice, common/EpochRecovery.cpp, startMutations and mutateEpoch: the order of the steps matters.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from reference_impl.kernel.decision import decision
from reference_impl.log.repair.bridges import apply_bridges, bridge_esn, tail_esn, with_bridge
from reference_impl.log.repair.digest import Digest, above, kept
from reference_impl.log.repair.held import Shards
from reference_impl.log.repair.mutation import Becomes, Mutation, compare
from reference_impl.log.repair.nodeset import Nodeset, is_authoritative, is_complete_digest
from reference_impl.log.repair.offsets import with_offsets
from reference_impl.log.repair.streams import plug_broken_streams
from spec.log.quorum import Authority


class BridgesFrom(StrEnum):
    """Whose bridges close an epoch."""

    WHOLE_DIGEST = "whole digest"
    """Everybody's who was heard: needed for what a finished recovery decided to stay as it is."""
    MUTATION_SET = "mutation set"
    """LogDevice's order of steps: a bridge that only a read-only shard holds is forgotten before it is looked at."""


class Round(NamedTuple):
    """What is fixed when a recovery stops gathering digests of an epoch.

    Attributes:
        nodeset: the epoch's nodeset and replication.
        seal: the seal epoch of the recovery.
        known_good: the greatest last known good ESN that any shard told of.
        mutation_set: the shards that were heard and may be written.
        authority: how far the digest may be trusted.
        bridge_in_empty_epoch: the setting bridge-record-in-empty-epoch; it is off for metadata logs.
        bridges_from: whose bridges count.
        base_bytes: the offset of the last known good record, where sealing told it.
        knows_tail: sealing told the last known good record itself, so the digest begins above it.
    """

    nodeset: Nodeset
    seal: int
    known_good: int
    mutation_set: Shards
    authority: Authority
    bridge_in_empty_epoch: bool = True
    bridges_from: BridgesFrom = BridgesFrom.WHOLE_DIGEST
    base_bytes: int | None = None
    knows_tail: bool = False


class Plan(NamedTuple):
    """What a recovery decided for an epoch.

    Attributes:
        bridge_esn: where the epoch ends; 0 for nowhere. Without authority it is known, and yet not stored.
        tail_esn: the last record; 0 in an empty epoch.
        is_tail_lost: the tail should be there, and no shard has it, or only as a hole.
        last_esn: the last ESN of the digest, at least the last known good one.
        mutations: what must be stored, in ascending order.
        decided: what becomes of every ESN, in ascending order, those included that are as they must be.
    """

    bridge_esn: int
    tail_esn: int
    is_tail_lost: bool
    last_esn: int
    mutations: tuple[Mutation, ...]
    decided: tuple[Mutation, ...] = ()


def finished(digest: Digest, chosen: Round) -> Digest:
    """A digest is finished in a fixed order: streams, bridges and shards that will not be mutated, offsets.

    LogDevice, common/EpochRecovery.cpp, startMutations; computeDigestStart for where it begins.
    """
    first = chosen.known_good + 1 if chosen.knows_tail else chosen.known_good
    digest = plug_broken_streams(above(digest, first - 1), chosen.known_good)
    if chosen.bridges_from is BridgesFrom.MUTATION_SET:
        digest = apply_bridges(kept(digest, chosen.mutation_set))
    else:
        digest = kept(apply_bridges(digest), chosen.mutation_set)
    bridge = bridge_esn(digest, chosen.known_good, for_empty_epoch=chosen.bridge_in_empty_epoch)
    return with_offsets(with_bridge(digest, bridge), chosen.known_good, chosen.base_bytes)


@decision
def plan_of(digest: Digest, chosen: Round) -> Plan:
    """Every ESN from the last known good one to the bridge, or to the last copy beyond it, gets an outcome.

    LogDevice, Recovery, Log recovery; common/EpochRecovery.cpp, startMutations.
    """
    good = chosen.known_good
    digest = finished(digest, chosen)
    bridge = bridge_esn(digest, good, for_empty_epoch=chosen.bridge_in_empty_epoch)
    tail = tail_esn(digest, good)
    is_known = tail == 0 or (tail == good and chosen.knows_tail)
    is_tail_lost = not is_known and (tail not in digest or digest[tail].target.is_hole)
    digest = above(digest, good)
    decided = tuple(_decided(digest, bridge, chosen))
    needed = tuple(mutation for mutation, is_needed in decided if is_needed)
    return Plan(bridge, tail, is_tail_lost, max([good, *digest]), needed, tuple(mutation for mutation, _ in decided))


def _decided(digest: Digest, bridge: int, chosen: Round) -> Iterator[tuple[Mutation, bool]]:
    """What becomes of each ESN, and whether that must be stored.

    Without authority, nothing is stored where no shard has anything: a hole there might hide a loss.
    """
    authoritative, is_complete = is_authoritative(chosen.authority), is_complete_digest(chosen.authority)
    esns = range(chosen.known_good + 1, max([bridge, *digest]) + 1) if authoritative else digest
    for esn in esns:
        hole = Becomes.BRIDGE if esn == bridge and authoritative else Becomes.HOLE
        if esn not in digest:
            yield Mutation(esn, hole), True
            continue
        entry = digest[esn]
        seen = compare(entry, chosen.seal, chosen.nodeset.can_replicate, is_complete=is_complete)
        becomes = hole if entry.target.is_hole else Becomes.RECORD
        yield Mutation(esn, becomes, entry.target, seen.stored, seen.amend, seen.conflict), seen.is_needed
