"""Recoveries that lose sight of a bridge, each one definition away from the right one."""

from __future__ import annotations

from spec.language.protocol import Bool, define, none, some
from spec.protocols.mutation import Mutation
from spec.protocols.sorts import FMajority, Node, Slot, Value, Writer


class BridgesEndNothing(Mutation):
    """The epoch ends after the last record that is found, whatever bridges an earlier recovery has left below it."""

    @define
    def empty_from(self, slot: Slot, heard: FMajority, writer: Writer) -> Bool:
        """{writer} finds in {heard} no record from {slot} on.

        LogDevice, common/EpochRecovery.cpp: the bridge goes after the last target that is no hole.
        """
        return none(
            self.wins(value, higher, heard, writer) & (value != Value.hole) & (value != Value.bridge)
            for higher in slot.onward()
            for value in Value
        )

    @define
    def ends(self, slot: Slot, heard: FMajority, writer: Writer) -> Bool:
        """{writer} finds in {heard} no record from {slot} on.

        LogDevice, Digest::applyBridgeRecords: a bridge makes holes of what lies above it and has a lower precedence.
        """
        return self.empty_from(slot, heard, writer)


class FilteredBeforeBridges(BridgesEndNothing):
    """Bridges are looked for in the mutation set only: one that only read-only nodes have ends nothing any more."""

    @define
    def ends(self, slot: Slot, heard: FMajority, writer: Writer) -> Bool:
        """{writer} finds in {heard} a bridge at {slot} on a node that takes writes, or no record from {slot} on.

        LogDevice, EpochRecovery::startMutations: Digest::removeNodeIf runs before Digest::applyBridgeRecords.
        """
        known = some(
            self.digest(node, old, slot, heard, writer) & self.proposed(old, slot, Value.bridge) & ~self.read_only(node)
            for node in Node
            for old in Writer
        )
        return (self.wins(Value.bridge, slot, heard, writer) & known) | self.empty_from(slot, heard, writer)
