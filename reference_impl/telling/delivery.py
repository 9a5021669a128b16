"""Telling runs of ``delivery``: which node sends a record to a reader, and when that reader concludes that none has it.

Every record is told as one of a log of its own: the text knows no order between them. Its release pointer passes what
is nowhere replicated, so that releases are not promised. That nodes go past an LSN is seen when the reader reports.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from reference_impl.telling.appending import at, payload_of
from reference_impl.telling.readers import Content, reader_name
from reference_impl.telling.teller import EPOCH, Teller, node_name
from spec.events import (
    CRASH,
    EVERYONE,
    ONE,
    RECORD,
    RESTART,
    Append,
    Ask,
    Fault,
    NewEpoch,
    Release,
    Ship,
    StatusTable,
    Store,
)
from spec.protocols.delivery import Copies, Recipient
from spec.protocols.sorts import Slot

READER: Final = 0
"""The text has one read stream."""


class DeliveryTeller(Teller):
    """One read stream, and the nodes of the copyset of all that it reads."""

    promises: ClassVar[tuple[str, ...]] = ("sequencers", "placement", "gap_reports", "append_once", "real_time_order")
    by_controller: ClassVar[tuple[str, ...]] = ("epoch", "append", "release", "mutate", "status", "fault")
    by_node: ClassVar[tuple[str, ...]] = ("store", "erase", "ship")
    by_reader: ClassVar[tuple[str, ...]] = ("read", "deliver", "gap", "ask")

    @property
    def nodes(self) -> int:
        """How many nodes there are: those of the copyset."""
        return self.world.sizes[Recipient]

    @property
    def replication(self) -> int:
        """How many copies a record needs."""
        return len(self.world.families[Copies][0])

    @property
    def everyone(self) -> frozenset[int]:
        """All nodes."""
        return frozenset(range(self.nodes))

    @property
    def logs(self) -> Sequence[int]:
        """One log for each record."""
        return range(self.world.sizes[Slot])

    def begin(self) -> None:
        """Every log has an epoch with one append, and the reader begins to read."""
        self.filters, self.asked, self.lives = 1, [0] * self.nodes, [1] * self.nodes
        given = {"sequencer": 0, "nodeset": self.everyone, "replication": dict(self.factors)}
        none = dict.fromkeys(("unavailable", "underreplicated", "empty"), frozenset[int]())
        self.chronicle.write("controller", StatusTable, version=1, **none)
        for slot in self.logs:
            self.chronicle.write("controller", NewEpoch, log=slot, epoch=EPOCH, esn=0, **given)
            self.clients.append((slot, EPOCH, 1), payload_of(slot))
            self.chronicle.write("controller", Append, **at(slot), digest=payload_of(slot), sequencer=0)
            self.readers.begin(READER, slot, EPOCH, 1)

    def store(self, recipient: int, slot: int) -> None:
        """A node of the copyset stores its copy; the writer is answered once enough have."""
        said = {"wave": 1, "becomes": RECORD, "recovery": 0, "copyset": self.everyone}
        self.chronicle.write(node_name(recipient), Store, **at(slot), node=recipient, digest=payload_of(slot), **said)
        holders = frozenset(node for node, of in self.after["copy"] if of == slot)
        if len(holders) == self.replication:
            self.clients.answer((slot, EPOCH, 1), copyset=holders, required=self.replication)

    def release(self, slot: int) -> None:
        """The release pointer passes a slot."""
        self.chronicle.write("controller", Release, **at(slot))

    def fail(self, recipient: int) -> None:
        """A node goes down."""
        self.lives[recipient] += 1
        self.chronicle.write("controller", Fault, node=recipient, what=CRASH)

    def come_back(self, recipient: int) -> None:
        """A node is up again."""
        self.chronicle.write("controller", Fault, node=recipient, what=RESTART)

    def start_reading(self, recipient: int) -> None:
        """The newest START reaches a node; it was asked for all that the reader still lacks."""
        self.asked[recipient] += 1
        mode = EVERYONE if self.after["mode"] else ONE
        listed = frozenset[int]() if mode == EVERYONE else frozenset(node for (node,) in self.after["listed"])
        for slot in self.logs:
            esn = 2 if self._is_answered(slot) else 1
            where = {"log": slot, "epoch": EPOCH, "esn": esn, "upto_epoch": EPOCH, "upto_esn": esn}
            said = {"node": recipient, "filters": self.filters, "mode": mode, "filtered_out": listed}
            self.chronicle.write(reader_name(READER), Ask, **where, reader=READER, **said)

    def send(self, recipient: int, slot: int) -> None:
        """A node sends its copy; the reader delivers it, unless it has an answer there."""
        by = {"reader": READER, "life": self.lives[recipient], "order": self.asked[recipient]}
        what = {"node": recipient, "digest": payload_of(slot), "becomes": RECORD}
        upto = {"upto_epoch": EPOCH, "upto_esn": 2}
        self.chronicle.write(node_name(recipient), Ship, **at(slot), **by, **what, **upto)
        if (slot,) in self.after["delivered"] - self.before["delivered"]:
            self.readers.reads[READER].log, self.readers.reads[READER].esn = slot, 1
            self.readers.give(READER, Content(RECORD, payload_of(slot)))

    def go_past(self, recipient: int, slot: int) -> None:
        """A node goes past a slot."""

    def list_as_down(self, *_: int) -> None:
        """The reader's list changes, and with it the version of its filters."""
        self.filters += 1

    def take_off_the_list(self, *_: int) -> None:
        """The reader's list changes, and with it the version of its filters."""
        self.filters += 1

    def ask_all(self) -> None:
        """The reader's mode changes, and with it the version of its filters."""
        self.filters += 1

    def ask_one(self) -> None:
        """The reader's mode changes, and with it the version of its filters."""
        self.filters += 1

    def report(self, slot: int, *_: int) -> None:
        """The reader reports a loss after all that went past the slot."""
        passed = frozenset(node for node, of in self.before["passed"] if of == slot)
        self.readers.report(READER, **at(slot), responders=passed, statuses=1)

    def _is_answered(self, slot: int) -> bool:
        return (slot,) in self.after["delivered"] | self.after["reported"]
