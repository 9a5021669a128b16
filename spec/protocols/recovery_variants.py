"""Wrong recoveries, each one definition away from the right one: what the proofs and the explorer must refute."""

from __future__ import annotations

from spec.language.protocol import Bool, define, every, some
from spec.protocols.recovery import Recovery
from spec.protocols.sorts import FMajority, Node, Slot, Value, Writer


class LowestWins(Recovery):
    """Of several copies of a slot, the oldest is taken."""

    @define
    def wins(self, value: Value, slot: Slot, heard: FMajority, writer: Writer) -> Bool:
        """{value} has the lowest precedence that {writer} reads at {slot} from {heard}.

        LogDevice, common/Digest.h takes the highest.
        """
        return some(
            self.digest(node, old, slot, heard, writer)
            & self.proposed(old, slot, value)
            & every(self.digest(n, w, slot, heard, writer).implies(old <= w) for n in Node for w in Writer)
            for node in Node
            for old in Writer
        )


class BridgeAtFirstGap(Recovery):
    """The epoch is ended at the first slot of which nothing is known."""

    @define
    def ends(self, slot: Slot, heard: FMajority, writer: Writer) -> Bool:
        """{writer} finds in {heard} a bridge or nothing at {slot}.

        LogDevice, Recovery, Bridge record: it is stored at the end of the epoch, after holes were plugged.
        """
        return self.wins(Value.bridge, slot, heard, writer) | self.unseen(slot, heard, writer)


class OneCopyIsEnough(Recovery):
    """A record counts as replicated once one node has it."""

    @define
    def kept(self, writer: Writer, slot: Slot) -> Bool:
        """{writer}'s {slot} is stored somewhere.

        LogDevice, Recovery, Log recovery asks for the replication property of the epoch.
        """
        return some(self.stored(node, writer, slot) for node in Node)


class SealStopsOnlyTheSequencer(Recovery):
    """A sealed node goes on storing what earlier recoveries propose."""

    @define
    def left(self, node: Node, writer: Writer) -> Bool:
        """{node} is sealed, and {writer} is the sequencer.

        LogDevice, common/STORE_Message.cpp refuses recoveries below the seal, too.
        """
        return some(self.sealed(node, later) & (writer == Writer.first) for later in writer.after())
