"""Recovery of an epoch to which clients write streams: none of a stream's records is kept without those before it.

Source: LogDevice, common/Digest.cpp, common/Appender.h, common/WriteStreamRequest.h. A record of a stream is
acknowledged after all before it. So where something is missing, a recovery makes holes of the records of streams above,
although it reads them, and although they may lie on enough nodes. Two recoveries may differ in what they miss: what one
of them keeps counts only once it has stored that itself.
"""

from __future__ import annotations

from dataclasses import replace

from spec.language.protocol import *
from spec.protocols.recovery import cluster
from spec.protocols.sorts import Copyset, FMajority, Slot, Value, Writer
from spec.protocols.streams_digests import StreamDigests


class Streams(StreamDigests):
    """One epoch, its sequencer, its recoveries, and appends that clients write as streams."""

    @define
    def settled(self, writer: Writer, slot: Slot) -> Bool:
        """What {writer} proposed at {slot} is acknowledged, or fully replicated by itself.

        LogDevice, Recovery, Log recovery: records up to the last known good one are not replicated again. What others
        have stored does not count: a recovery that saw less may have made a hole of it.
        """
        acked = self.acked(slot) & self.agrees(Writer.first, writer, slot)
        return acked | self.kept(writer, slot)

    @action
    def assign_in_stream(self, slot: Slot, value: Value) -> None:
        """The sequencer takes a payload of a stream for its next slot.

        LogDevice, common/protocol/STORE_Message.h: copies say whether they belong to a stream.
        """
        super().assign(slot, value)
        self.streamed.add(slot)

    @action
    def acknowledge(self, slot: Slot) -> None:
        """The sequencer tells the client that its record is safe; in a stream, after all before it.

        LogDevice, common/Appender.h: a writer is answered once its record's copies are stored, in a stream in order.
        """
        require(~self.streamed(slot) | every(self.acked(lower) for lower in slot.before()))
        super().acknowledge(slot)

    @action
    def plan(self, writer: Writer, heard: FMajority, end: Slot) -> None:
        """A recovery leaves out broken streams, and proposes every slot up to its bridge.

        LogDevice, common/EpochRecovery.cpp, startMutations: streams come first, then bridges.
        """
        assume(every(self.ranked(slot, heard, writer) for slot in Slot))
        super().plan(writer, heard, end)

    @define
    def stopped(self, writer: Writer, slot: Slot) -> Bool:
        """{writer} can no longer get anything fully replicated at {slot}.

        Lamport, Fast Paxos, Choosable values: some member of every quorum has left without voting for it.
        """
        return every(
            some(self.left(node, writer) & ~self.stored(node, writer, slot) for node in copies) for copies in Copyset
        )

    @define
    def doomed(self, slot: Slot) -> Bool:
        """The sequencer can no longer acknowledge {slot}: it is stopped there or, in a stream, below.

        LogDevice, common/Appender.h: a record of a stream is acknowledged after all those before it.
        """
        below = some(self.stopped(Writer.first, lower) for lower in slot.before())
        return self.stopped(Writer.first, slot) | (self.streamed(slot) & below)

    @define
    def undone(self, writer: Writer, slot: Slot) -> Bool:
        """{writer} can no longer settle what lies before {slot}, which is of a stream.

        LogDevice, common/Digest.cpp: no record of a stream is kept without those before it.
        """
        before = some(self.stopped(writer, lower) & self.doomed(lower) for lower in slot.before())
        return self.streamed(slot) & before

    @invariant
    def sequencer_leaves_no_gap(self, slot: Slot, lower: Slot) -> Bool:
        """The sequencer has taken something for every slot before one that it has taken.

        LogDevice, Write path, Sequencing: records get the next sequence number of the epoch.
        """
        taken = self.proposed.defined(Writer.first, slot) & (lower < slot)
        return taken.implies(self.proposed.defined(Writer.first, lower))

    @invariant
    def records_are_the_sequencers(self, writer: Writer, slot: Slot, value: Value) -> Bool:
        """What any writer proposes as a record, the sequencer has proposed there.

        LogDevice, Recovery, Log recovery: it replicates records again; of its own it writes holes and a bridge.
        """
        record = self.proposed(writer, slot, value) & (value != Value.hole) & (value != Value.bridge)
        return record.implies(self.proposed(Writer.first, slot, value))

    @invariant
    def streams_are_acked_in_order(self, slot: Slot, lower: Slot) -> Bool:
        """Before an acknowledged record of a stream all is acknowledged.

        LogDevice, common/Appender.h: appends of a stream are acknowledged in the order of ESNs only.
        """
        later = self.acked(slot) & self.streamed(slot) & (lower < slot)
        return later.implies(self.acked(lower))

    @invariant
    def streams_are_whole(self, writer: Writer, slot: Slot, lower: Slot) -> Bool:
        """Before a record of a stream that a writer proposes, it proposes records only.

        LogDevice, common/Digest.cpp: above the first ESN that is missing or a hole, records of streams become holes.
        """
        above = self.is_record(writer, slot) & self.streamed(slot) & (lower < slot)
        return above.implies(self.is_record(writer, lower))

    @invariant
    def earlier_ones_are_passed(self, old: Writer, writer: Writer, copies: Copyset) -> Bool:
        """Once a recovery has planned, some node of every copyset takes nothing more of those before it.

        LogDevice, Recovery, Recovery example: it tells the storage nodes to reject records with smaller epochs.
        """
        left = some(self.left(node, old) for node in copies)
        return ((old < writer) & self.planned(writer)).implies(left)

    @invariant
    def choice_is_safe(self, old: Writer, writer: Writer, slot: Slot, value: Value, other: Value) -> Bool:
        """A later writer proposes something else only if the older one is stopped there, or undone.

        Lamport, Paxos made simple, condition P2c, for each slot; LogDevice, common/Digest.cpp, for streams.
        """
        both = (old < writer) & self.proposed(old, slot, value) & self.proposed(writer, slot, other)
        return (both & (value != other)).implies(self.stopped(old, slot) | self.undone(old, slot))

    @invariant
    def nothing_beyond_a_bridge(self, writer: Writer, end: Slot, slot: Slot, value: Value) -> Bool:
        """At a bridge and above it the sequencer can no longer get anything acknowledged, and has not.

        LogDevice, Recovery, Bridge record: the consensus about where the epoch ends.
        """
        beyond = self.proposed(writer, end, Value.bridge) & (end <= slot)
        acked = self.acked(slot) & self.proposed(Writer.first, slot, value)
        return beyond.implies(self.doomed(slot) & ~acked)

    @lemma
    def acked_is_not_doomed(self, slot: Slot) -> Bool:
        """An acknowledged record is there, and nothing keeps it from being acknowledged.

        LogDevice, common/Appender.h: a record of a stream is acknowledged after all those before it.
        """
        return self.acked(slot).implies(self.proposed.defined(Writer.first, slot) & ~self.doomed(slot))

    @lemma
    def acked_is_chosen(self, writer: Writer, slot: Slot, value: Value, other: Value) -> Bool:
        """Where a record was acknowledged, whoever proposes anything proposes that record.

        LogDevice, Recovery, Recovery example: for a previously ACKed LSN slot, a record is always proposed.
        """
        acked = self.acked(slot) & self.proposed(Writer.first, slot, value)
        return (acked & self.proposed(writer, slot, other)).implies(value == other)

    @lemma
    def acked_is_a_record(self, writer: Writer, slot: Slot) -> Bool:
        """Where a record was acknowledged, whoever proposes anything proposes a record.

        LogDevice, Recovery, Recovery example: for a previously ACKed LSN slot, a record is always proposed.
        """
        proposed = self.acked(slot) & self.proposed.defined(writer, slot)
        return proposed.implies(self.is_record(writer, slot))

    @lemma
    def acked_is_told(self, writer: Writer, heard: FMajority, slot: Slot) -> Bool:
        """Some node of every f-majority tells of an acknowledged record.

        LogDevice, Recovery, Recovery example: for a previously ACKed LSN slot, a record is always seen.
        """
        asked = (writer != Writer.first) & self.heard_out(heard, writer)
        told = some(self.stored(node, Writer.first, slot) for node in heard)
        return (self.acked(slot) & asked).implies(told)

    @lemma
    def acked_is_shown(self, writer: Writer, heard: FMajority, slot: Slot) -> Bool:
        """An acknowledged record is shown to every recovery.

        LogDevice, Recovery, Recovery example: for a previously ACKed LSN slot, a record is always proposed.
        """
        asked = (writer != Writer.first) & self.heard_out(heard, writer)
        return (self.acked(slot) & asked).implies(self.shows(slot, heard, writer))

    @lemma
    def acked_is_not_broken(self, writer: Writer, heard: FMajority, slot: Slot) -> Bool:
        """Where a record was acknowledged no recovery finds a stream broken.

        LogDevice, common/Appender.h: a record of a stream is acknowledged after all those before it.
        """
        asked = (writer != Writer.first) & self.heard_out(heard, writer)
        return (self.acked(slot) & asked).implies(~self.broken(slot, heard, writer))

    @lemma
    def untold_is_stopped(self, old: Writer, writer: Writer, heard: FMajority, slot: Slot) -> Bool:
        """What no node tells a recovery of, and was not acknowledged, can no longer get fully replicated.

        Lamport, Fast Paxos, Choosable values: some member of every quorum has left without voting for it.
        """
        untold = self.heard_out(heard, writer) & ~self.tells(old, slot, heard, writer)
        return ((old < writer) & untold & ~self.acked(slot)).implies(self.stopped(old, slot))

    @lemma
    def missing_is_stopped(self, old: Writer, writer: Writer, heard: FMajority, slot: Slot) -> Bool:
        """What a recovery misses nobody before it can settle any more.

        Lamport, Paxos made simple, condition P2c, for each slot; LogDevice, common/Digest.cpp, for streams.
        """
        there = (old < writer) & self.is_record(old, slot)
        missed = self.heard_out(heard, writer) & ~self.shows(slot, heard, writer)
        return (there & missed).implies(self.stopped(old, slot) | self.undone(old, slot))

    @lemma
    def above_what_is_missed(self, old: Writer, writer: Writer, heard: FMajority, slot: Slot, lower: Slot) -> Bool:
        """Above what a recovery misses, whoever before it has a record of a stream is undone.

        LogDevice, common/Digest.cpp: no record of a stream is kept without those before it.
        """
        there = (old < writer) & self.is_record(old, slot) & self.streamed(slot)
        missed = (lower < slot) & self.heard_out(heard, writer) & ~self.shows(lower, heard, writer)
        return (there & missed).implies(self.undone(old, slot))

    @lemma
    def broken_is_undone(self, old: Writer, writer: Writer, heard: FMajority, slot: Slot) -> Bool:
        """Where a recovery finds a stream broken, whoever before it has a record is undone.

        LogDevice, common/Digest.cpp: no record of a stream is kept without those before it.
        """
        there = (old < writer) & self.is_record(old, slot) & self.broken(slot, heard, writer)
        return (there & self.heard_out(heard, writer)).implies(self.undone(old, slot))

    @lemma
    def shown_is_safe(self, old: Writer, writer: Writer, heard: FMajority, slot: Slot) -> Bool:
        """Where a recovery is shown a record, whoever before it has none is stopped, or undone.

        Lamport, Paxos made simple, condition P2c, for each slot.
        """
        there = (old < writer) & ~self.is_record(old, slot) & ~self.acked(slot)
        shown = self.shows(slot, heard, writer) & self.heard_out(heard, writer)
        return (there & shown).implies(self.stopped(old, slot) | self.undone(old, slot))

    @lemma
    def broken_is_safe(self, old: Writer, writer: Writer, heard: FMajority, slot: Slot) -> Bool:
        """Where a recovery finds a stream broken, whoever came before it is stopped, or undone.

        LogDevice, common/Digest.cpp: above the first ESN that is missing or a hole, records of streams become holes.
        """
        there = (old < writer) & self.broken(slot, heard, writer) & self.heard_out(heard, writer)
        return there.implies(self.stopped(old, slot) | self.undone(old, slot))

    @lemma
    def unseen_is_safe(self, old: Writer, writer: Writer, heard: FMajority, slot: Slot) -> Bool:
        """Where a recovery counts nothing, whoever came before it is stopped, or undone.

        LogDevice, common/Digest.h: an ESN without an entry becomes a hole.
        """
        there = (old < writer) & self.unseen(slot, heard, writer) & self.heard_out(heard, writer)
        return there.implies(self.stopped(old, slot) | self.undone(old, slot))

    @lemma
    def winner_is_safe(
        self, old: Writer, writer: Writer, heard: FMajority, slot: Slot, value: Value, other: Value
    ) -> Bool:
        """Where something else has the highest precedence in a digest, whoever came before it is stopped, or undone.

        Lamport, Paxos made simple, condition P2c, for each slot.
        """
        there = (old < writer) & self.proposed(old, slot, value) & self.wins(other, slot, heard, writer)
        heard_out = self.heard_out(heard, writer) & (value != other)
        return (there & heard_out).implies(self.stopped(old, slot) | self.undone(old, slot))

    @lemma
    def unseen_is_doomed(self, writer: Writer, heard: FMajority, slot: Slot) -> Bool:
        """Where a recovery counts nothing the sequencer can no longer get anything acknowledged.

        LogDevice, Recovery, Bridge record: the consensus about where the epoch ends.
        """
        there = (writer != Writer.first) & self.unseen(slot, heard, writer)
        return (there & self.heard_out(heard, writer)).implies(self.doomed(slot))

    @lemma
    def beyond_is_doomed(self, writer: Writer, heard: FMajority, end: Slot, slot: Slot) -> Bool:
        """At a bridge that a recovery counts and above it the sequencer can no longer get anything acknowledged.

        LogDevice, Recovery, Bridge record: the consensus about where the epoch ends.
        """
        return (self.wins(Value.bridge, end, heard, writer) & (end <= slot)).implies(self.doomed(slot))

    @lemma
    def end_is_doomed(self, writer: Writer, heard: FMajority, end: Slot, slot: Slot) -> Bool:
        """From where a recovery ends the epoch the sequencer can no longer get anything acknowledged.

        LogDevice, Recovery, Bridge record: the consensus about where the epoch ends.
        """
        ready = every(self.sealed(node, writer) for node in heard) & (writer != Writer.first)
        ranked = every(self.ranked(one, heard, writer) for one in Slot)
        return (ready & ranked & self.ends(end, heard, writer) & (end <= slot)).implies(self.doomed(slot))

    @lemma
    def kept_is_chosen_or_undone(self, old: Writer, writer: Writer, slot: Slot, value: Value, other: Value) -> Bool:
        """What is fully replicated is what every later writer proposes there, unless it is undone.

        Lamport, Paxos made simple, condition P2c, for each slot; LogDevice, common/Digest.cpp, for streams.
        """
        kept = (old < writer) & self.kept(old, slot) & self.proposed(old, slot, value) & ~self.undone(old, slot)
        return (kept & self.proposed(writer, slot, other)).implies(value == other)

    @lemma
    def settled_is_not_stopped(self, writer: Writer, slot: Slot) -> Bool:
        """Where a writer has settled a slot, it is not stopped, or the sequencer not kept from acknowledging it.

        LogDevice, Recovery, Log recovery: records up to the last known good one are not replicated again.
        """
        return self.settled(writer, slot).implies(~self.stopped(writer, slot) | ~self.doomed(slot))

    @lemma
    def settled_is_chosen(self, old: Writer, writer: Writer, slot: Slot, value: Value, other: Value) -> Bool:
        """What a writer has settled, with all before it, is what every later one proposes there.

        LogDevice, Recovery, Log recovery: it replicates the outcome to the correct number of nodes.
        """
        settled = self.settled(old, slot) & every(self.settled(old, lower) for lower in slot.before())
        both = (old < writer) & self.proposed(old, slot, value) & self.proposed(writer, slot, other)
        return (settled & both).implies(value == other)

    @goal
    def kept_is_chosen(self, old: Writer, writer: Writer, slot: Slot, value: Value, other: Value) -> Bool:
        """What was fully replicated once, and is of no stream, is what every later writer proposes there.

        LogDevice, Recovery, Log recovery: a consistent and immutable state on storage nodes.
        """
        chosen = self.kept(old, slot) & self.proposed(old, slot, value) & ~self.streamed(slot)
        return (chosen & (old < writer) & self.proposed(writer, slot, other)).implies(value == other)

    @goal
    def kept_with_all_before(self, writer: Writer, slot: Slot, lower: Slot) -> Bool:
        """A recovery makes no hole before a record of a stream that it keeps.

        LogDevice, common/Digest.cpp: above the first ESN that is missing or a hole, records of streams become holes.
        """
        above = self.is_record(writer, slot) & self.streamed(slot) & (lower < slot)
        return above.implies(~self.proposed(writer, lower, Value.hole))


def streaming(
    nodes: int = 2, replication: int = 2, slots: int = 2, recoveries: int = 2, payloads: int = 1, racks: int = 0
) -> World:
    """A small cluster in which the sequencer may fill so many slots; there is one more, for a bridge."""
    return replace(cluster(nodes, replication, slots, recoveries, payloads, racks), protocol=Streams)
