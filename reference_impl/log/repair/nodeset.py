"""Nodesets as a recovery sees them: who may have copies, who can hold new ones, and whose word counts.

LogDevice, common/RecoverySet.cpp and common/FailureDomainNodeSet.h. A recovery asks the same few questions with each
answer that comes, so what was found is remembered.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from reference_impl.log.repair.held import Shards
from spec.language.parameters import Parameters
from spec.log.quorum import Authority
from spec.log.status import Status
from spec.log.tally import Layout, Tally

REMEMBERED: Final = 1 << 14
"""Findings that are remembered at most."""


class Nodeset(NamedTuple):
    """The shards of an epoch, and how its records are replicated over them.

    Attributes:
        shards: the nodeset.
        layout: where shards are, and in how many domains a record must lie.
    """

    shards: Shards
    layout: Layout

    @staticmethod
    def of(shards: Shards, replication: Mapping[str, int], parameters: Parameters) -> Nodeset:
        """A nodeset under a replication property, which maps scopes to copies."""
        return Nodeset(shards, Layout.of(parameters, replication))

    def can_replicate(self, shards: Shards) -> bool:
        """Whether these shards can hold a whole copyset; what is known of their data does not matter.

        They can if a record could hide among them, had none of them answered.
        """
        return _can_replicate(self.layout, shards)

    def authority(self, heard: Shards, statuses: Mapping[int, Status]) -> Authority:
        """How far the answers of these shards may be trusted."""
        return _authority(self.layout, self.shards, heard, frozenset(statuses.items()))


@lru_cache(REMEMBERED)
def _can_replicate(layout: Layout, shards: Shards) -> bool:
    return not Tally(layout, shards).is_f_majority()


@lru_cache(REMEMBERED)
def _authority(layout: Layout, shards: Shards, heard: Shards, statuses: frozenset[tuple[int, Status]]) -> Authority:
    tally = Tally(layout, shards, {shard: counted(status) for shard, status in statuses})
    for shard in heard:
        tally.hear(shard)
    return tally.authority()


def counted(status: Status) -> Status:
    """Recovery and purging wait for no shard that is down: they take its data for lost.

    LogDevice, common/LogRecoveryRequest.cpp, setNodeAuthoritativeStatus; readers, who can wait, do otherwise.
    """
    return Status.UNDERREPLICATION if status is Status.UNAVAILABLE else status


def is_authoritative(said: Authority) -> bool:
    """Absence may be concluded: what no digest has was never acknowledged. LogDevice, common/EpochRecovery.cpp."""
    return said in (Authority.AUTHORITATIVE_COMPLETE, Authority.AUTHORITATIVE_INCOMPLETE)


def is_complete_digest(said: Authority) -> bool:
    """Every shard whose word counts was heard. LogDevice, common/EpochRecovery.cpp, is_complete_set."""
    return said in (Authority.AUTHORITATIVE_COMPLETE, Authority.NON_AUTHORITATIVE)
