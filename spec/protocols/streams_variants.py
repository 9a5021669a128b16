"""Recoveries that lose or tear streams, each one clause away from the right one: what proofs and searches refute."""

from __future__ import annotations

from spec.language.protocol import Bool, action, define, some
from spec.protocols.recovery import Recovery
from spec.protocols.sorts import FMajority, Node, Slot, Writer
from spec.protocols.streams import Streams


class AckedOutOfOrder(Streams):
    """Records of streams are acknowledged like all others, as soon as enough nodes have them."""

    @action
    def acknowledge(self, slot: Slot) -> None:
        """The sequencer tells the client that its record is safe.

        LogDevice, common/Appender.h: appends of a stream are acknowledged in the order of ESNs only.
        """
        Recovery.acknowledge(self, slot)


class OlderCopiesCount(Streams):
    """A recovery does not store again what earlier writers have fully replicated, though it is of a stream."""

    @define
    def settled(self, writer: Writer, slot: Slot) -> Bool:
        """What {writer} proposed at {slot} is fully replicated, by itself or by an earlier writer.

        LogDevice, Recovery, Log recovery: what is known to be replicated is not replicated again.
        """
        return super(Streams, self).settled(writer, slot)


class StreamsAreKept(Streams):
    """A recovery keeps every record that it reads, of streams, too."""

    @define
    def digest(self, node: Node, old: Writer, slot: Slot, heard: FMajority, writer: Writer) -> Bool:
        """{writer} reads {old}'s {slot} from {node} of {heard}.

        LogDevice, common/Digest.cpp: above the first ESN that is missing or a hole, records of streams become holes.
        """
        return self.reads(node, old, slot, heard, writer)


class OnlyMissingBreaks(Streams):
    """A stream is broken by a slot of which nothing is known, and not by a hole that an earlier recovery made there."""

    @define
    def shows(self, slot: Slot, heard: FMajority, writer: Writer) -> Bool:
        """{heard} tells {writer} anything of {slot}.

        LogDevice, common/Digest.cpp: a stream is broken by the first ESN that is missing or a hole.
        """
        return some(self.leads(node, old, slot, heard, writer) for node in Node for old in Writer)
