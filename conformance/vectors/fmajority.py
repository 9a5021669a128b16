"""Cases of f-majority: who answered, and how far their answers may be trusted.

``shards`` names each shard with its node and its location ``region.data_center.cluster.row.rack``; ``replication``
maps scopes to copies; ``authoritative_status`` lists shards that are not FULLY_AUTHORITATIVE; ``tagged_shards`` are
those that answered, or that hold a copy. ``op`` is the question: ``isFmajority`` or ``canReplicate``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from conformance.vectors.fields import Fields
from conformance.vectors.shards import Shards, replication_of
from spec.log.quorum import Authority, authority, is_complete, is_f_majority
from spec.log.replication import can_replicate
from spec.log.status import Status


def seen(case: Fields) -> Authority | bool:
    """What the specification says of a case: a truth value, or an authority.

    Raises:
        DamagedVectors: the case is no case of f-majority.
    """
    question = case.choice("op", QUESTIONS)
    shards = Shards.of(case)
    return question(case, shards, _tagged(case, shards))


def _can_replicate(case: Fields, shards: Shards, tagged: frozenset[int]) -> bool:
    return can_replicate.value(shards.parameters, {"nodes": tagged, "replication": replication_of(case)}) is True


def _authority(case: Fields, shards: Shards, tagged: frozenset[int]) -> Authority:
    said = shards.statuses(case)
    status = {shard: said.get(shard, Status.FULLY_AUTHORITATIVE) for shard in shards.everyone()}
    values = {
        "heard": tagged,
        "nonempty": frozenset(shard for shard, said in status.items() if said.may_hold),
        "authoritative": frozenset(shard for shard, said in status.items() if said.counts),
        "replication": replication_of(case),
    }
    f_majority = is_f_majority.value(shards.parameters, values) is True
    return authority(f_majority=f_majority, complete=is_complete.value(shards.parameters, values) is True)


QUESTIONS: Final[dict[str, Callable[[Fields, Shards, frozenset[int]], Authority | bool]]] = {
    "isFmajority": _authority,
    "canReplicate": _can_replicate,
}
"""What a case may ask: LogDevice, common/FailureDomainNodeSet.h."""


def _tagged(case: Fields, shards: Shards) -> frozenset[int]:
    """The shards that answered, or that hold a copy: those whose attribute is accepted, where attributes are told."""
    tagged = shards.numbers(case, "tagged_shards")
    if "attributes" not in case or "predicate_attributes" not in case:
        return tagged
    attributes, accepted = case.below("attributes"), case.every("predicate_attributes", Fields.text)
    said = frozenset(shards.named(name, attributes) for name in attributes if attributes.raw(name) in accepted)
    if said != tagged:
        why = f"by attributes {shards.names_of(said)}, but tagged are {shards.names_of(tagged)}"
        raise case.refuse("the case contradicts itself", why, "tag the shards with an accepted attribute")
    return tagged
