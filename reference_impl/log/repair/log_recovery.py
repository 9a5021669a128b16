"""The recovery of a whole log: epoch by epoch over what shards hold, then purging of those that were passed by.

LogDevice, Recovery, Log recovery; common/LogRecoveryRequest.cpp.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from reference_impl.log.repair.digest import Arrival, Digest, digest_of
from reference_impl.log.repair.held import Shards
from reference_impl.log.repair.nodeset import Nodeset
from reference_impl.log.repair.plan import BridgesFrom, Plan, Round, plan_of
from reference_impl.log.repair.stores import Stores, mutated, purged
from spec.log.quorum import Authority
from spec.log.status import Status


class Circumstances(NamedTuple):
    """What a recovery meets.

    Attributes:
        seal: its seal epoch.
        absent: shards that do not answer.
        read_only: shards that answer and may not be written.
        statuses: the shards that are not FULLY_AUTHORITATIVE.
    """

    seal: int
    absent: Shards = frozenset()
    read_only: Shards = frozenset()
    statuses: Mapping[int, Status] = {}
    bridge_in_empty_epoch: bool = True
    bridges_from: BridgesFrom = BridgesFrom.WHOLE_DIGEST


class Recovered(NamedTuple):
    """What a recovery made of an epoch.

    Attributes:
        chosen: from whom it learnt what, and to whom it wrote.
        plan: what it decided; None where there was nobody to write to.
        tail: epoch and ESN of the log's last record up to this epoch; None for an empty log.
    """

    epoch: int
    chosen: Round
    plan: Plan | None
    tail: tuple[int, int] | None


def arrivals_of(stores: Stores, epoch: int, shards: Iterable[int]) -> Iterable[Arrival]:
    """What shards tell of an epoch, one shard after the other."""
    return [(shard, esn, held) for shard in sorted(shards) for esn, held in stores[shard].esns(epoch).items()]


def round_of(stores: Stores, epoch: int, nodeset: Nodeset, met: Circumstances) -> Round | None:
    """Whoever answers is heard; whoever also may be written is mutated. None while those do not suffice.

    LogDevice, common/EpochRecovery.cpp, onDigestMayHaveBecomeComplete.
    """
    heard = nodeset.shards - met.absent
    said = nodeset.authority(heard, met.statuses)
    mutation_set = heard - met.read_only
    waits = said is Authority.AUTHORITATIVE_INCOMPLETE and not nodeset.can_replicate(mutation_set)
    if said is Authority.NONE or waits:
        return None
    known_good = max((stores[shard].known_good.get(epoch, 0) for shard in heard), default=0)
    return Round(nodeset, met.seal, known_good, mutation_set, said, met.bridge_in_empty_epoch, met.bridges_from)


def recover(
    stores: Stores, epochs: Sequence[tuple[int, Nodeset]], met: Circumstances
) -> tuple[Stores, tuple[Recovered, ...]]:
    """Epochs are recovered oldest first, each handing on the tail; one that cannot be holds up all later ones.

    LogDevice, common/LogRecoveryRequest.cpp.
    """
    done = list[Recovered]()
    tail: tuple[int, int] | None = None
    for epoch, nodeset in epochs:
        chosen = round_of(stores, epoch, nodeset, met)
        if chosen is None:
            break
        plan: Plan | None = None
        if chosen.mutation_set:
            plan = plan_of(digest_of(arrivals_of(stores, epoch, nodeset.shards - met.absent)), chosen)
            tail = (epoch, plan.tail_esn) if plan.tail_esn else tail
            stores = mutated(stores, epoch, plan, chosen)
        done.append(Recovered(epoch, chosen, plan, tail))
    nodesets = dict(epochs)
    for one in done:
        stores = purged(stores, one.epoch, nodesets[one.epoch])
    return stores, tuple(done)


def digest_now(stores: Stores, epoch: int, shards: Iterable[int]) -> Digest:
    """What a recovery would read if all these shards answered."""
    return digest_of(arrivals_of(stores, epoch, shards))
