"""Recovery of one epoch in which some nodes take no writes: they tell what they have, and nothing is stored on them.

Source: LogDevice, common/EpochRecovery.cpp and common/Digest.h. A recovery hears an f-majority, and writes to the
mutation set: those of it that take writes. What it decides, it decides from all that it has heard.
"""

from __future__ import annotations

from dataclasses import replace

from spec.language.protocol import Relation, World, action, assume, every, none, require, says, some
from spec.protocols.recovery import Recovery, cluster
from spec.protocols.sorts import Copyset, FMajority, Node, Slot, Value, Writer


class Mutation(Recovery):
    """One epoch and its recoveries, on nodes of which some are read-only for a while."""

    read_only: Relation[Node] = says("{0} is read-only")

    @action
    def stop_writes(self, node: Node) -> None:
        """A node becomes read-only: its disk is full, or it is being drained.

        LogDevice, common/EpochRecovery.cpp: such shards contribute copies but are not mutated.
        """
        self.read_only.add(node)

    @action
    def take_writes(self, node: Node) -> None:
        """A node takes writes again.

        LogDevice, common/EpochRecovery.cpp: a shard that can be written to belongs to the mutation set.
        """
        self.read_only.remove(node)

    @action
    def store(self, node: Node, writer: Writer, slot: Slot) -> None:
        """A node that takes writes stores what a writer proposed, unless a later seal forbids it.

        LogDevice, common/STORE_Message.cpp: a store is refused by a shard that is read-only.
        """
        super().store(node, writer, slot)
        require(~self.read_only(node))

    @action
    def plan(self, writer: Writer, heard: FMajority, end: Slot) -> None:
        """A recovery that can write enough copies proposes every slot up to its bridge; older bridges become holes.

        LogDevice, common/EpochRecovery.cpp: the digest is an f-majority, the mutation set can replicate; Digest.h: the
        target of a slot counts wherever it was found, and flags of older bridges are cleared.
        """
        require(writer != Writer.first)
        require(~self.planned(writer))
        require(every(self.sealed(node, writer) for node in heard))
        require(some(every(~self.read_only(node) for node in copies) for copies in Copyset))
        require(self.ends(end, heard, writer))
        require(none(self.ends(slot, heard, writer) for slot in end.before()))
        assume(
            every(
                self.unseen(slot, heard, writer) | some(self.wins(value, slot, heard, writer) for value in Value)
                for slot in end.before()
            )
        )
        self.proposed.add(writer, end, Value.bridge)
        for slot in end.before():
            plugged = self.unseen(slot, heard, writer) | self.wins(Value.bridge, slot, heard, writer)
            self.proposed.add(writer, slot, Value.hole, when=plugged)
            for value in Value:
                kept = self.wins(value, slot, heard, writer) & (value != Value.bridge)
                self.proposed.add(writer, slot, value, when=kept)


def partly_read_only(
    nodes: int = 3, replication: int = 2, slots: int = 1, recoveries: int = 1, payloads: int = 1, racks: int = 0
) -> World:
    """A small cluster as for a recovery, in which any nodes may be read-only."""
    return replace(cluster(nodes, replication, slots, recoveries, payloads, racks), protocol=Mutation)
