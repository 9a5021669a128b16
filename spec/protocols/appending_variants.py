"""Appenders whose extras leave a record where nobody sends it, or leave it waiting: each one clause away."""

from __future__ import annotations

from spec.language.protocol import Bool, define, some
from spec.protocols.appending import Appending, Candidate
from spec.protocols.sorts import Slot


class NoSyncLeader(Appending):
    """A record is released once any nodes have enough copies: the one that is to send it may have none."""

    @define
    def ready(self, slot: Slot) -> Bool:
        """{slot} is replicated.

        LogDevice, Single Copy Delivery, Sync-leader stage: num-sync-leaders, which defaults to 1, set to 0.
        """
        return self.replicated(slot)


class NoWaveOnceAcknowledged(Appending):
    """An appender that has answered its writer starts no other wave: it waits for a first recipient that is down."""

    @define
    def may_try_again(self, slot: Slot) -> Bool:
        """{slot} is not acknowledged, its appender is not done, and a recipient of its newest wave is down.

        LogDevice, Single Copy Delivery, Appender stages: it will always prioritize write availability.
        """
        waits = some(self.wave(slot, sent) & some(self.down(node) for node in sent) for sent in Candidate)
        return ~self.acked(slot) & ~self.done(slot) & waits
