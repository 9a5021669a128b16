"""Appenders as LogDevice has them today: another right form of the text."""

from __future__ import annotations

from spec.language.protocol import Bool, define, every, some
from spec.protocols.appending import Appending, Candidate
from spec.protocols.sorts import Slot


class SingleWave(Appending):
    """All recipients of a wave must store it: whoever is first has it, and no stage waits for a leader."""

    @define
    def replicated(self, slot: Slot) -> Bool:
        """All recipients of the newest wave of {slot} have it.

        LogDevice, common/Appender.h: it is finished when all members of the current wave have acknowledged.
        """
        return some(self.wave(slot, sent) & every(self.current(node, slot) for node in sent) for sent in Candidate)

    @define
    def ready(self, slot: Slot) -> Bool:
        """{slot} is replicated.

        LogDevice, common/Appender.h: extras and sync leaders were removed.
        """
        return self.replicated(slot)
