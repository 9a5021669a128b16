"""Telling runs of ``reads``: copies that are lost and rebuilt, and a reader that reports what it must give up.

Every record is told as one of a log of its own: the text knows no order between them. The text leaves recovery out, so
its release pointer passes what is nowhere replicated, and it has no donors: neither is promised.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from reference_impl.telling.appending import at, payload_of
from reference_impl.telling.readers import Content
from reference_impl.telling.statuses import StatusesTold
from reference_impl.telling.teller import EPOCH, node_name
from spec.events import RECORD, Append, CopysetChanged, Erase, NewEpoch, Rebuilt, Release, Store
from spec.protocols.sorts import Copyset, FMajority, Node, Rack, Slot


class ReadsTeller(StatusesTold):
    """Records that are stored, lost and rebuilt, and their readers."""

    promises: ClassVar[tuple[str, ...]] = ("sequencers", "placement", "gap_reports", "append_once", "real_time_order")
    by_controller: ClassVar[tuple[str, ...]] = ("epoch", "append", "release", "mutate", "status", "fault")
    by_node: ClassVar[tuple[str, ...]] = ("store", "erase", "rebuilt", "copyset")

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return self.world.sizes[Node]

    @property
    def replication(self) -> int:
        """How many copies a record needs."""
        return len(self.world.families[Copyset][0])

    @property
    def racks(self) -> tuple[frozenset[int], ...]:
        """The racks, where any has more than one node."""
        racks = tuple(self.world.families.get(Rack, ()))
        return racks if any(len(rack) > 1 for rack in racks) else ()

    @property
    def logs(self) -> Sequence[int]:
        """One log for each record."""
        return range(self.world.sizes[Slot])

    def begin(self) -> None:
        """A sequencer is given the epoch of each log, and takes an append for each."""
        super().begin()
        given = {"sequencer": 0, "nodeset": frozenset(range(self.nodes)), "replication": dict(self.factors)}
        for slot in self.logs:
            self.chronicle.write("controller", NewEpoch, log=slot, epoch=EPOCH, esn=0, **given)
            self.clients.append((slot, EPOCH, 1), payload_of(slot))
            self.chronicle.write("controller", Append, **at(slot), digest=payload_of(slot), sequencer=0)

    def store(self, node: int, slot: int) -> None:
        """A node stores a copy, which names all nodes: the text says only later which of them count."""
        said = {"wave": 1, "becomes": RECORD, "recovery": 0, "copyset": frozenset(range(self.nodes))}
        self.chronicle.write(node_name(node), Store, **at(slot), node=node, digest=payload_of(slot), **said)

    def acknowledge(self, slot: int, copies: int) -> None:
        """The writer is answered; it counts on one copyset."""
        self.clients.answer((slot, EPOCH, 1), copyset=self.members(Copyset, copies), required=self.replication)

    def release(self, slot: int) -> None:
        """The release pointer passes a slot."""
        self.chronicle.write("controller", Release, **at(slot))

    def rebuild(self, slot: int, source: int, onto: int) -> None:
        """Copies are brought to a new copyset, and then all of it names it."""
        copyset = self.members(Copyset, onto)
        said = {"digest": payload_of(slot), "becomes": RECORD, "began": 1, "donor": source, "copyset": copyset}
        had = {node for node, of in self.before["copy"] if of == slot}
        for node in sorted(copyset - had):
            self.chronicle.write(node_name(node), Rebuilt, **at(slot), node=node, **said)
        for node in sorted(copyset & had):
            changed = {"began": 1, "donor": source, "copyset": copyset}
            self.chronicle.write(node_name(node), CopysetChanged, **at(slot), node=node, **changed)

    def deny(self, node: int, slot: int) -> None:
        """What nodes say to the reader is seen when it reports."""

    def report_by_majority(self, slot: int, heard: int) -> None:
        """The reader reports a loss after these answers."""
        self._report(slot, self.members(FMajority, heard))

    def report_by_all(self, slot: int) -> None:
        """The reader reports a loss after all answers that it can have."""
        self._report(slot, frozenset(range(self.nodes)))

    def erase(self, node: int, /) -> None:
        """What a node had is gone."""
        for holder, slot in sorted(self.before["copy"]):
            if holder == node:
                self.chronicle.write(node_name(node), Erase, **at(slot), node=node)

    def between(self) -> None:
        """Somebody is sent an acknowledged record by a node that is up."""
        slot = self.chance.randrange(self.world.sizes[Slot])
        up = {node for node, of in self.after["copy"] if of == slot} - {node for node, _ in self.after["status"]}
        is_there = (slot,) in self.after["acked"] and (slot,) in self.after["released"]
        if up and is_there and self.maybe():
            self.readers.look(slot, EPOCH, [Content(RECORD, payload_of(slot))])

    def _report(self, slot: int, asked: frozenset[int]) -> None:
        denied = frozenset(node for node, of in self.before["denied"] if of == slot)
        self.readers.lose(slot, EPOCH, 1, responders=asked & denied, statuses=self.version)
