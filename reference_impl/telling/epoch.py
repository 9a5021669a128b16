"""Telling runs of ``epoch``: recovery on disks that fail, purges, rebuilding, statuses, and the reader of the text.

The text's reader may be given slots in any order. It is told as many readers, each of which is given LSNs one after the
other. The text has no donors, and no rule on rebuilding is promised.
"""

from __future__ import annotations

from typing import ClassVar

from reference_impl.telling.recovery import LOG, RecoveryTeller, contents_of
from reference_impl.telling.statuses import StatusesTold
from reference_impl.telling.streams import StreamsTeller
from reference_impl.telling.teller import EPOCH, node_name
from spec.events import Clean, CopysetChanged, Erase, Purged, PurgeSurvivor, Rebuilt, Release
from spec.protocols.sorts import Copyset, FMajority, Slot


class EpochTeller(StatusesTold, StreamsTeller):
    """One epoch from its first record to its last reader."""

    disks: ClassVar = "copy"
    by_controller: ClassVar[tuple[str, ...]] = StreamsTeller.by_controller
    by_node: ClassVar[tuple[str, ...]] = (
        *RecoveryTeller.by_node,
        *("erase", "purge", "kept", "rebuilt", "copyset"),
    )

    def begin(self) -> None:
        """The sequencer is given its epoch."""
        RecoveryTeller.begin(self)
        self.tables = 1
        self.version = self.tell_table("known")

    def plan(self, writer: int, heard: int, end: int) -> None:
        """A recovery uses the statuses of the cluster."""
        self.cluster = self.tell_table("status")
        super().plan(writer, heard, end)

    @property
    def statuses(self) -> int:
        """The version of the cluster's table."""
        return self.cluster

    def declare_clean(self, writer: int) -> None:
        """The epoch is clean, and released up to its bridge."""
        end, recovery = self.bridge(writer), self.epoch_of(writer)
        self.chronicle.write("controller", Clean, **self.at(end), recovery=recovery)
        self._release(end + 1)

    def purge(self, node: int) -> None:
        """A node removes what differs from the clean epoch, and says what it keeps."""
        self._erase_what_is_gone()
        (writer,) = next(iter(self.after["clean"]), (0,))
        recovery = self.epoch_of(writer)
        self.chronicle.write(node_name(node), Purged, **self.start, node=node, recovery=recovery)
        left = {slot: by for holder, by, slot in sorted(self.after["copy"]) if holder == node}
        for slot, by in left.items():
            said = {"node": node, **self.content(by, slot)._asdict(), "recovery": self.epoch_of(by)}
            self.chronicle.write(node_name(node), PurgeSurvivor, **self.at(slot), **said)

    def vanish(self, *_: int) -> None:
        """All copies of a slot are gone."""
        self._erase_what_is_gone()

    def drop(self, *_: int) -> None:
        """A node deletes a copy that nobody needs; that it was told to is not recorded."""
        self._erase_what_is_gone()

    def erase(self, *_: int) -> None:
        """What a node had is gone."""
        self._erase_what_is_gone()

    def rebuild(self, slot: int, source: int, node: int) -> None:
        """A donor brings a copy."""
        new = self.after["copy"] - self.before["copy"]
        for writer in sorted(by for holder, by, at in new if (holder, at) == (node, slot))[-1:]:
            said = {"node": node, "began": 1, "donor": source, **self.content(writer, slot)._asdict()}
            self.chronicle.write(node_name(node), Rebuilt, **self.at(slot), **said)

    def place(self, slot: int, onto: int) -> None:
        """The nodes of a new copyset name it."""
        copyset = self.members(Copyset, onto)
        for node in sorted(copyset):
            said = {"node": node, "began": 1, "copyset": copyset}
            self.chronicle.write(node_name(node), CopysetChanged, **self.at(slot), **said)

    def deliver(self, _node: int, _writer: int, slot: int, value: int) -> None:
        """Some reader is given what a node has; that it may be was known by then."""
        if self.released <= slot:
            self._release(slot + 1)
        self.readers.give_at(LOG, EPOCH, slot + 1, contents_of(value))

    def deny(self, node: int, slot: int) -> None:
        """What nodes say to the reader is seen when it reports."""

    def report(self, slot: int) -> None:
        """The reader reports a loss after all answers that it can have."""
        self._report(slot, frozenset(range(self.nodes)))

    def report_by_majority(self, slot: int, heard: int) -> None:
        """The reader reports a loss after these answers."""
        self._report(slot, self.members(FMajority, heard))

    def between(self) -> None:
        """What is acknowledged without a gap before it is released at some time."""
        self.tell_what_is_decided()
        acked = {slot for (slot,) in self.after["acked"]}
        upto = next(slot for slot in range(self.world.sizes[Slot] + 1) if slot not in acked)
        if upto > self.released and self.maybe():
            self._release(upto)

    def end(self) -> None:
        """Nothing more happens than the text says."""

    def _release(self, upto: int) -> None:
        self.released = max(self.released, upto)
        self.chronicle.write("controller", Release, **self.at(upto - 1))

    def _report(self, slot: int, asked: frozenset[int]) -> None:
        denied = frozenset(node for node, of in self.before["denied"] if of == slot)
        self.readers.lose(LOG, EPOCH, slot + 1, responders=asked & denied, statuses=self.version)

    def _erase_what_is_gone(self) -> None:
        had = {(node, slot) for node, _, slot in self.before["copy"]}
        has = {(node, slot) for node, _, slot in self.after["copy"]}
        for node, slot in sorted(had - has):
            self.chronicle.write(node_name(node), Erase, **self.at(slot), node=node)
