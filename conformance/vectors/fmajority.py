"""Cases of f-majority: who answered, and how far their answers may be trusted.

``shards`` names each shard with its node and its location ``region.data_center.cluster.row.rack``; ``replication``
maps scopes to copies; ``authoritative_status`` lists shards that are not FULLY_AUTHORITATIVE; ``tagged_shards`` are
those that answered, or that hold a copy. ``op`` is the question: ``isFmajority`` or ``canReplicate``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from conformance.vectors.cases import Case, part
from conformance.vectors.errors import DamagedVectors
from spec.language.parameters import Parameters
from spec.language.vocabulary import SCOPES
from spec.log.quorum import Authority, authority, is_complete, is_f_majority
from spec.log.replication import can_replicate
from spec.log.status import Status
from spec.log.topology import Topology, read_location


def seen(case: Case, where: str) -> Authority | bool:
    """What the specification says of a case: a truth value, or an authority.

    Raises:
        DamagedVectors: the case is no case of f-majority.
    """
    question = part(case, "op", str, where)
    if question not in QUESTIONS:
        raise DamagedVectors("no such question", repr(question), f"one of {', '.join(QUESTIONS)}", where)
    return QUESTIONS[question](case, where)


def _can_replicate(case: Case, where: str) -> bool:
    values = {"nodes": _tagged(case, where), "replication": _replication(case, where)}
    return can_replicate.value(_parameters(case, where), values) is True


def _authority(case: Case, where: str) -> Authority:
    status = _statuses(case, where)
    values = {
        "heard": _tagged(case, where),
        "nonempty": frozenset(shard for shard, said in enumerate(status) if said.may_hold),
        "authoritative": frozenset(shard for shard, said in enumerate(status) if said.counts),
        "replication": _replication(case, where),
    }
    parameters = _parameters(case, where)
    f_majority = is_f_majority.value(parameters, values) is True
    return authority(f_majority=f_majority, complete=is_complete.value(parameters, values) is True)


QUESTIONS: Final[dict[str, Callable[[Case, str], Authority | bool]]] = {
    "isFmajority": _authority,
    "canReplicate": _can_replicate,
}
"""What a case may ask: LogDevice, common/FailureDomainNodeSet.h."""


def _parameters(case: Case, where: str) -> Parameters:
    """The topology of the case's shards, numbered in the order in which it names them."""
    try:
        return Topology(
            tuple(
                {"node": str(shard["node"]), **read_location(shard.get("location") or "")}
                for shard in part(case, "shards", dict, where).values()
            )
        ).parameters()
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DamagedVectors("a shard has no place", repr(error), "give it a node and a location", where) from error


def _replication(case: Case, where: str) -> dict[str, int]:
    copies = {scope.lower(): number for scope, number in part(case, "replication", dict, where).items()}
    if wrong := [scope for scope, number in copies.items() if scope not in SCOPES or not _is_count(number)]:
        raise DamagedVectors("no replication property", f"scope {wrong[0]!r}", f"scopes {', '.join(SCOPES)}", where)
    return copies


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _tagged(case: Case, where: str) -> frozenset[int]:
    """The shards that answered, or that hold a copy."""
    shards = part(case, "shards", dict, where)
    tagged = part(case, "tagged_shards", list, where)
    if unknown := [name for name in tagged if not isinstance(name, str) or name not in shards]:
        raise DamagedVectors("a shard is tagged that is not there", repr(unknown[0]), "name it among the shards", where)
    attributes, accepted = case.get("attributes"), case.get("predicate_attributes")
    if isinstance(attributes, dict) and isinstance(accepted, list):
        said = {name for name, attribute in attributes.items() if attribute in accepted}
        if said != set(tagged):
            why = f"by attributes {sorted(said)}, but tagged are {sorted(tagged)}"
            raise DamagedVectors("the case contradicts itself", why, "tag the shards with an accepted attribute", where)
    return frozenset(number for number, name in enumerate(shards) if name in tagged)


def _statuses(case: Case, where: str) -> list[Status]:
    """The status of each shard, in order."""
    said = part(case, "authoritative_status", dict, where)
    shards = part(case, "shards", dict, where)
    if unknown := [name for name in said if name not in shards]:
        raise DamagedVectors("a status of no shard", repr(unknown[0]), "name it among the shards", where)
    try:
        return [Status(said.get(name, Status.FULLY_AUTHORITATIVE)) for name in shards]
    except ValueError as error:
        raise DamagedVectors("no such status", str(error), f"one of {', '.join(Status)}", where) from error
