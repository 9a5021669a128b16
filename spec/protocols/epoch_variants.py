"""Epochs that lose, change or invent records, each one clause away from the right one: known bugs of such systems."""

from __future__ import annotations

from spec.language.protocol import Bool, action, define, every, none, require, some
from spec.protocols.epoch import Epoch
from spec.protocols.parts import Status
from spec.protocols.recovery import Recovery
from spec.protocols.sorts import Copyset, Node, Slot, Writer


class WipedNodesAnswer(Epoch):
    """A node that lost its data returns as if it had never had any, and recoveries count its empty digest."""

    @action
    def come_back(self, node: Node) -> None:
        """A node returns, with its data or without.

        LogDevice, Read path, Authoritative Status: who lost its data stays underreplicated until that is rebuilt.
        """
        self.status.remove(node, Status.unavailable)
        self.status.remove(node, Status.underreplicated)


class CleanBeforeReplicated(Epoch):
    """The epoch is declared clean once a recovery has planned: its records may be on fewer nodes than they should."""

    @action
    def declare_clean(self, writer: Writer) -> None:
        """A recovery that has planned declares the epoch clean, if no other has.

        LogDevice, common/EpochRecovery.cpp: without nodes to write to, the last clean epoch advances all the same.
        """
        require(self.planned(writer))
        require(none(self.clean(other) for other in Writer))
        self.clean.add(writer)
        for node in Node:
            for slot in Slot:
                self.named.add(node, slot, when=self.stored(node, writer, slot))


class UnpurgedNodesServe(Epoch):
    """Nodes send what they have once the epoch is clean: a straggler has a record that the recovery plugged."""

    @define
    def serves(self, node: Node, slot: Slot) -> Bool:
        """{node} has purged, or {slot} is released.

        LogDevice, server/storage/PurgeUncleanEpochs.cpp: reads wait until the node has purged.
        """
        return self.purged(node) | self.released(slot)


class PurgedNodesStore(Epoch):
    """A node that no recovery has sealed takes the sequencer's late stores after it has purged."""

    @action
    def store(self, node: Node, writer: Writer, slot: Slot) -> None:
        """A node that is up stores what a writer proposed, unless a later seal forbids it.

        LogDevice, common/STORE_Message.cpp: a store below a seal is refused.
        """
        Recovery.store(self, node, writer, slot)
        require(self.authoritative(node))
        self.copy.add(node, writer, slot)


class PurgeTakesAll(Epoch):
    """A node that purges believes that the epoch is empty, and removes what the recovery has put there, too."""

    @action
    def purge(self, node: Node) -> None:
        """A node removes all that it has, once the epoch is clean.

        LogDevice, common/GetEpochRecoveryMetadataRequest.cpp: one node that says that the epoch is empty is believed.
        """
        require(some(self.clean(writer) for writer in Writer))
        self.purged.add(node)
        for writer in Writer:
            for slot in Slot:
                self.copy.remove(node, writer, slot)


class AnyCopyIsRebuilt(Epoch):
    """Rebuilding copies whatever it finds, from nodes that have not purged, too."""

    @action
    def rebuild(self, slot: Slot, source: Node, node: Node) -> None:
        """After the epoch is clean, what a node has is copied to one that is up.

        LogDevice, docs/Rebuilding.md: stores of what is not clean on a node make it purge first.
        """
        require(self.settled_for_good())
        require(some(self.copy(source, writer, slot) for writer in Writer))
        require(self.authoritative(node))
        for writer in Writer:
            self.copy.add(node, writer, slot, when=self.copy(source, writer, slot))


class WhatIsReliedOnIsDropped(Epoch):
    """A node deletes an extra copy whenever it is told to, though rebuilding has come to count on it meanwhile."""

    @action
    def drop(self, node: Node, slot: Slot, others: Copyset) -> None:
        """A node deletes the sequencer's record, which enough others have stored.

        LogDevice, Single Copy Delivery, Sync-leader stage: a DELETE is sent to who is not needed.
        """
        require(~others.has(node))
        require(every(self.stored(other, Writer.first, slot) for other in others))
        require(none(self.stored(node, later, slot) for later in Writer.first.after()))
        self.stored.remove(node, Writer.first, slot)
        self.named.remove(node, slot)
        for writer in Writer:
            self.copy.remove(node, writer, slot)


class EmptyBeforeRebuilt(Epoch):
    """A node is marked empty although copysets name it: what it had is taken for having never been there."""

    @action
    def mark_empty(self, node: Node) -> None:
        """After the epoch is clean, a node that lost its data is marked empty.

        LogDevice, common/event_log/EventLogRebuildingSet.cpp: empty as soon as no donor is left, although data is lost.
        """
        require(some(self.clean(writer) for writer in Writer))
        require(self.status(node, Status.underreplicated))
        self.status.put(node, Status.empty)


class NoRewindOnEmpty(Epoch):
    """The reader keeps its answers when it learns that a node is empty: rebuilt copies lie behind them."""

    @define
    def starts_over(self, news: Status) -> Bool:
        """{news} makes the reader drop all answers and ask again.

        LogDevice, ClientReadStream: a node that turns empty forces a rewind.
        """
        return news == Status.underreplicated


class DownNodesNeedNotAnswer(Epoch):
    """The second rule as the document has it: a node that is merely down need not answer."""

    @define
    def excused(self, node: Node, slot: Slot) -> Bool:
        """{node} is not known to be fully authoritative, or has denied {slot}.

        LogDevice, Read path, Authoritative Status: all nodes that are FULLY_AUTHORITATIVE said they have no record.
        """
        down = self.known(node, Status.unavailable) | self.known(node, Status.underreplicated)
        return self.answered(node, slot) | down
