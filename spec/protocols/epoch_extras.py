"""An epoch whose records may be sent to more nodes than need them: what nobody needs is deleted.

Source: LogDevice, Single Copy Delivery, Appender stages; Read path, Copyset; docs/Rebuilding.md. Once enough others
have stored theirs, a sequencer tells nodes to delete their copies. Nobody knows when that arrives: the epoch may be
clean by then, the others may have lost what they stored. So no copy is deleted on which rebuilding counts.
"""

from __future__ import annotations

from spec.language.protocol import Bool, Relation, action, define, every, invariant, none, require, says, some
from spec.protocols.epoch_storage import EpochStorage
from spec.protocols.sorts import Copyset, Node, Slot, Writer


class EpochExtras(EpochStorage):
    """One epoch from its first record until its copies are purged, with copies that nobody needs."""

    relied: Relation[Node, Slot] = says("rebuilding counts on {0} for {1}")

    @define
    def as_sequenced(self, slot: Slot) -> Bool:
        """{slot} is settled as the sequencer has it: acknowledged, or so in the clean epoch.

        LogDevice, Recovery, Recovery example: for a previously ACKed LSN slot, a record is always proposed.
        """
        return self.moves(slot) | some(
            self.clean(writer) & self.agrees(Writer.first, writer, slot) for writer in Writer
        )

    @action
    def drop(self, node: Node, slot: Slot, others: Copyset) -> None:
        """A node deletes the sequencer's record, which enough others have stored, unless rebuilding counts on it there.

        LogDevice, Single Copy Delivery, Sync-leader stage: a DELETE is sent to who is not needed. It may arrive late.
        """
        require(~others.has(node))
        require(every(self.stored(other, Writer.first, slot) for other in others))
        require(~self.relied(node, slot))
        require(none(self.stored(node, later, slot) for later in Writer.first.after()))
        self.stored.remove(node, Writer.first, slot)
        self.named.remove(node, slot)
        for writer in Writer:
            self.copy.remove(node, writer, slot)

    @invariant
    def stored_is_named(self, slot: Slot) -> Bool:
        """Copysets name all that stored what is settled as the sequencer has it, or nodes on which rebuilding counts.

        LogDevice, docs/Rebuilding.md: new copysets name the nodes to which donors brought copies.
        """
        stored = every(self.stored(node, Writer.first, slot).implies(self.named(node, slot)) for node in Node)
        placed = some(every(self.named(node, slot) & self.relied(node, slot) for node in copies) for copies in Copyset)
        return self.as_sequenced(slot).implies(stored | placed)

    @define
    def counted_on(self, node: Node, slot: Slot) -> Bool:
        """{slot} is as the sequencer has it, or some recovery stored on {node} there, or rebuilding counts on it.

        LogDevice, Single Copy Delivery, Appender stages: only the sequencer's records have copies that nobody needs.
        """
        recovered = some(self.stored(node, later, slot) for later in Writer.first.after())
        return self.as_sequenced(slot) | recovered | self.relied(node, slot)

    @invariant
    def named_is_counted_on(self, node: Node, slot: Slot) -> Bool:
        """Copysets name no node for a record of the sequencer that is not settled as such.

        LogDevice, Read path, Copyset: the nodes on which the record is stored.
        """
        return self.named(node, slot).implies(self.counted_on(node, slot))

    @invariant
    def outcome_is_counted_on(self, node: Node, writer: Writer, slot: Slot) -> Bool:
        """A recovery's outcome lies where it is as the sequencer has it, or where it was stored or rebuilt.

        LogDevice, common/Digest.h: copies of one ESN whose contents are the same are no conflict.
        """
        there = self.copy(node, writer, slot) & (writer != Writer.first)
        return there.implies(self.counted_on(node, slot))
