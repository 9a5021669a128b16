"""Wrong recoveries, each one definition away from the right one: what the proofs and the explorer must refute."""

from __future__ import annotations

from spec.language.protocol import Bool, action, define, every, goal, some
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


class SealsAreForgotten(Recovery):
    """Seals lie in memory: a node that crashes takes stores that it had promised to refuse."""

    @action
    def crash(self, node: Node) -> None:
        """A node crashes and comes back with its records only.

        LogDevice, server/storage/SealStorageTask.cpp: seals are synced to disk before they are answered.
        """
        for writer in Writer:
            self.sealed.remove(node, writer)


class HighestRecordIsTheBridge(Recovery):
    """The document's picture of a recovered epoch: its highest record is the bridge. A straggler may have another."""

    @goal
    def bridge_is_highest(self, writer: Writer, end: Slot, node: Node, old: Writer, slot: Slot) -> Bool:
        """After a finished recovery no node has a record above its bridge.

        LogDevice, Recovery, Final state after recovery is complete: the record with the highest LSN is a bridge record.
        """
        ended = self.finished(writer) & self.proposed(writer, end, Value.bridge)
        return (ended & self.stored(node, old, slot)).implies(slot <= end)
