"""What the digests of an epoch show of streams: a record counts only with all those before it.

Source: LogDevice, common/Digest.cpp, common/Digest.h. Where something is missing, a recovery makes holes of the records
of streams above, although it reads them, and although they may lie on enough nodes.
"""

from __future__ import annotations

from spec.language.protocol import Bool, Relation, define, every, lemma, says, some
from spec.protocols.recovery import Recovery
from spec.protocols.sorts import FMajority, Node, Slot, Value, Writer


class StreamDigests(Recovery):
    """One epoch, its recoveries, and what they count of the records that clients wrote as streams."""

    streamed: Relation[Slot] = says("the record at {0} is of a stream")

    @define
    def reads(self, node: Node, old: Writer, slot: Slot, heard: FMajority, writer: Writer) -> Bool:
        """{node} of {heard} tells {writer} of {old}'s {slot}.

        LogDevice, Recovery, Recovery example: it collects what the storage nodes have of the epoch.
        """
        return super().digest(node, old, slot, heard, writer)

    @define
    def tells(self, old: Writer, slot: Slot, heard: FMajority, writer: Writer) -> Bool:
        """{heard} tells {writer} of {old}'s {slot}.

        LogDevice, Recovery, Recovery example: it collects what the storage nodes have of the epoch.
        """
        return some(self.reads(node, old, slot, heard, writer) for node in Node)

    @define
    def is_record(self, writer: Writer, slot: Slot) -> Bool:
        """{writer} proposed a record at {slot}, no hole and no bridge.

        LogDevice, Recovery, Bridge record: both are marks that a recovery writes.
        """
        return some(
            self.proposed(writer, slot, value) & (value != Value.hole) & (value != Value.bridge) for value in Value
        )

    @define
    def leads(self, node: Node, old: Writer, slot: Slot, heard: FMajority, writer: Writer) -> Bool:
        """Of what {heard} tells {writer} of {slot}, {old}'s copy on {node} has the highest precedence.

        LogDevice, common/Digest.h: of the copies of one ESN, that of the highest precedence is the target.
        """
        highest = every(self.reads(n, w, slot, heard, writer).implies(w <= old) for n in Node for w in Writer)
        return self.reads(node, old, slot, heard, writer) & highest

    @define
    def shows(self, slot: Slot, heard: FMajority, writer: Writer) -> Bool:
        """Of what {heard} tells {writer} of {slot}, a record has the highest precedence.

        LogDevice, common/Digest.cpp: a stream is broken by the first ESN that is missing or a hole.
        """
        return some(
            self.leads(node, old, slot, heard, writer) & self.is_record(old, slot) for node in Node for old in Writer
        )

    @define
    def broken(self, slot: Slot, heard: FMajority, writer: Writer) -> Bool:
        """{heard} shows {writer} a record of a stream at {slot}, and no record at some slot before it.

        LogDevice, common/Digest.cpp: above the first ESN that is missing or a hole, records of streams become holes.
        """
        missing = some(~self.shows(lower, heard, writer) for lower in slot.before())
        return self.streamed(slot) & self.shows(slot, heard, writer) & missing

    @define
    def digest(self, node: Node, old: Writer, slot: Slot, heard: FMajority, writer: Writer) -> Bool:
        """{writer} counts {old}'s {slot} on {node} of {heard}, which is of no broken stream.

        LogDevice, common/Digest.cpp: no record of a stream above a missing one was acknowledged.
        """
        return self.reads(node, old, slot, heard, writer) & ~self.broken(slot, heard, writer)

    @define
    def counts(self, slot: Slot, heard: FMajority, writer: Writer) -> Bool:
        """{writer} counts a record at {slot} of {heard}.

        LogDevice, common/Digest.h: of the copies of one ESN, that of the highest precedence is the target.
        """
        return some(
            self.wins(value, slot, heard, writer) & (value != Value.hole) & (value != Value.bridge) for value in Value
        )

    @define
    def ranked(self, slot: Slot, heard: FMajority, writer: Writer) -> Bool:
        """If {heard} tells {writer} anything of {slot}, something has the highest precedence.

        LogDevice, common/Digest.h: of the copies of one ESN, that of the highest precedence is the target.
        """
        told = some(self.reads(node, old, slot, heard, writer) for node in Node for old in Writer)
        return told.implies(some(self.leads(node, old, slot, heard, writer) for node in Node for old in Writer))

    @define
    def heard_out(self, heard: FMajority, writer: Writer) -> Bool:
        """{heard} has sealed for {writer}, and of what it tells of each slot something has the highest precedence.

        LogDevice, common/EpochRecovery.cpp: digests are complete before mutation.
        """
        ready = every(self.sealed(node, writer) for node in heard)
        return ready & every(self.ranked(slot, heard, writer) for slot in Slot)

    @lemma
    def told_was_proposed(self, old: Writer, slot: Slot, heard: FMajority, writer: Writer) -> Bool:
        """Whoever's copy a digest tells of has proposed it.

        LogDevice, common/Appender.h: a store carries the payload to which the sequencer gave the LSN.
        """
        return self.tells(old, slot, heard, writer).implies(self.proposed.defined(old, slot))

    @lemma
    def leader_was_proposed(self, node: Node, old: Writer, slot: Slot, heard: FMajority, writer: Writer) -> Bool:
        """Whoever's copy has the highest precedence in a digest has proposed it.

        LogDevice, common/Digest.h: of the copies of one ESN, that of the highest precedence is the target.
        """
        return self.leads(node, old, slot, heard, writer).implies(self.proposed.defined(old, slot))

    @lemma
    def leader_is_last(
        self, node: Node, old: Writer, slot: Slot, heard: FMajority, writer: Writer, other: Writer
    ) -> Bool:
        """Nobody later than whoever's copy has the highest precedence in a digest is told of.

        LogDevice, common/Digest.h: of the copies of one ESN, that of the highest precedence is the target.
        """
        told = self.leads(node, old, slot, heard, writer) & self.tells(other, slot, heard, writer)
        return told.implies(other <= old)

    @lemma
    def leader_wins(self, node: Node, old: Writer, slot: Slot, heard: FMajority, writer: Writer, value: Value) -> Bool:
        """What has the highest precedence of what a digest shows counts, where no stream is broken.

        LogDevice, common/Digest.h: of the copies of one ESN, that of the highest precedence is the target.
        """
        there = self.leads(node, old, slot, heard, writer) & ~self.broken(slot, heard, writer)
        return (there & self.proposed(old, slot, value)).implies(self.wins(value, slot, heard, writer))

    @lemma
    def winner_leads(self, slot: Slot, heard: FMajority, writer: Writer, value: Value) -> Bool:
        """What counts has the highest precedence of what a digest shows, and is of no broken stream.

        LogDevice, common/Digest.h: of the copies of one ESN, that of the highest precedence is the target.
        """
        led = some(
            self.leads(node, old, slot, heard, writer) & self.proposed(old, slot, value)
            for node in Node
            for old in Writer
        )
        return self.wins(value, slot, heard, writer).implies(led & ~self.broken(slot, heard, writer))

    @lemma
    def shown_counts(self, slot: Slot, heard: FMajority, writer: Writer) -> Bool:
        """A record counts where a digest shows one, of no broken stream, and nowhere else.

        LogDevice, common/Digest.cpp: above the first ESN that is missing or a hole, records of streams become holes.
        """
        shown = self.shows(slot, heard, writer) & ~self.broken(slot, heard, writer)
        counts = self.counts(slot, heard, writer)
        return counts.implies(shown) & shown.implies(counts)

    @lemma
    def counted_with_all_before(self, slot: Slot, lower: Slot, heard: FMajority, writer: Writer) -> Bool:
        """Before a record of a stream that counts, records count.

        LogDevice, common/Digest.cpp: above the first ESN that is missing or a hole, records of streams become holes.
        """
        above = self.streamed(slot) & self.counts(slot, heard, writer) & (lower < slot)
        return above.implies(self.counts(lower, heard, writer))
