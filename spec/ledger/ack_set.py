"""The ack set: who stored an entry, who failed to, and when either settles its fate.

Apache BookKeeper, client/RoundRobinDistributionSchedule.java, RRAckSet. The last answer of a member counts.
"""

from __future__ import annotations

from typing import NamedTuple

from spec.ledger.schedule import Quorums

Members = frozenset[int]


class AckSet(NamedTuple):
    """The answers of an entry's write set.

    Attributes:
        stored: the members that stored it.
        failed: the members that failed to.
    """

    stored: Members = frozenset()
    failed: Members = frozenset()

    def is_acknowledged(self, quorums: Quorums) -> bool:
        """An entry is acknowledged once an ack quorum has stored it."""
        return len(self.stored) >= quorums.ack

    def is_hopeless(self, quorums: Quorums) -> bool:
        """An entry cannot be acknowledged if too few of its write set are left."""
        return len(self.failed) > quorums.write - quorums.ack


def complete(acks: AckSet, member: int) -> AckSet:
    """A member stored the entry; an earlier failure is forgotten."""
    return AckSet(acks.stored | {member}, acks.failed - {member})


def fail(acks: AckSet, member: int) -> AckSet:
    """A member failed to store the entry; an earlier success is forgotten."""
    return AckSet(acks.stored - {member}, acks.failed | {member})


def remove(acks: AckSet, member: int) -> AckSet:
    """A member was replaced, so whatever it answered is forgotten."""
    return AckSet(acks.stored - {member}, acks.failed - {member})
