"""Telling runs of ``recovery``: one epoch, the clients of its sequencer, and whoever reads what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from reference_impl.telling.readers import Content
from reference_impl.telling.teller import EPOCH, Teller, node_name, value_of
from spec.events import (
    BRIDGE,
    CRASH,
    HOLE,
    RECORD,
    Append,
    Clean,
    Digest,
    Fault,
    Mutate,
    MutationStored,
    NewEpoch,
    Planned,
    Release,
    Seal,
    StatusTable,
    Store,
)
from spec.protocols.sorts import Copyset, FMajority, Node, Slot, Value, Writer

LOG: Final = 1
FIRST: Final = 0
"""The sequencer, among the writers."""

MARKS: Final = {Value.constants.index("hole"): HOLE, Value.constants.index("bridge"): BRIDGE}


class RecoveryTeller(Teller):
    """One epoch and its recoveries. A recovery is the work of the sequencer of a later epoch, which appends nothing.

    The text has no readers. What it is for is that they are given what was acknowledged and what a finished recovery
    has decided, so that is what they are given here.
    """

    promises: ClassVar[tuple[str, ...]] = (
        "sequencers",
        "seals",
        "recovery",
        "release",
        "gap_reports",
        "placement",
        "append_once",
        "client_order",
        "real_time_order",
    )
    disks: ClassVar = "stored"
    """The relation that says what lies on disks."""

    by_controller: ClassVar[tuple[str, ...]] = (
        "epoch",
        "status",
        "append",
        "plan",
        "mutate",
        "clean",
        "release",
        "fault",
    )
    by_node: ClassVar[tuple[str, ...]] = ("store", "seal", "digest", "obey")

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return self.world.sizes[Node]

    @property
    def replication(self) -> int:
        """How many copies a record needs."""
        return len(self.world.families[Copyset][0])

    @property
    def logs(self) -> Sequence[int]:
        """There is one log."""
        return (LOG,)

    def begin(self) -> None:
        """The sequencer is given its epoch, and all nodes are fully authoritative."""
        self.activated, self.is_clean, self.finished, self.released = 0, False, list[int](), 0
        self.undecided = set[tuple[int, int]]()
        self._activate(FIRST)
        self.chronicle.write("controller", StatusTable, version=1, **_nobody())

    def assign(self, slot: int, value: int) -> None:
        """The sequencer gives an LSN to what a client had asked for."""
        where = self.at(slot)
        self.clients.append((LOG, EPOCH, slot + 1), value)
        self.chronicle.write("controller", Append, **where, digest=value, sequencer=0)

    def store(self, node: int, writer: int, slot: int) -> None:
        """A node stores what a writer proposed; it names all nodes, to any of which the writer may have sent it."""
        content = self.content(writer, slot)
        recovery = self.epoch_of(writer)
        said = {"wave": 1, "recovery": recovery, "copyset": frozenset(range(self.nodes))}
        self.chronicle.write(node_name(node), Store, **self.at(slot), node=node, **content._asdict(), **said)
        if recovery:
            self.chronicle.write(node_name(node), MutationStored, **self.start, node=node, recovery=recovery, round=1)

    def acknowledge(self, slot: int) -> None:
        """The sequencer answers; the client may hear of it."""
        holders = frozenset(node for node, writer, at in self.after["stored"] if (writer, at) == (FIRST, slot))
        self.clients.answer((LOG, EPOCH, slot + 1), copyset=holders, required=self.replication)

    def seal(self, node: int, writer: int) -> None:
        """A node promises the recovery of a later epoch to take no more of all before."""
        self._activate(writer)
        self.chronicle.write(node_name(node), Seal, log=LOG, epoch=writer, esn=0, node=node)

    def plan(self, writer: int, heard: int, end: int) -> None:
        """A recovery is told what nodes hold, and decides; of whom it writes to the text does not speak."""
        recovery, nodes = self.epoch_of(writer), self.members(FMajority, heard)
        self._activate(writer)
        for node in nodes:
            self._tell_digest(node, recovery)
        told = {"recovery": recovery, "round": 1, "heard": nodes, "statuses": self.statuses}
        self.chronicle.write("controller", Planned, **self.start, **told)
        self.undecided |= {(writer, slot) for slot in range(end + 1)}
        self.tell_what_is_decided()

    def crash(self, node: int) -> None:
        """A node crashes and comes back, in the form in which it forgets its seals."""
        self.chronicle.write("controller", Fault, node=node, what=CRASH)

    def between(self) -> None:
        """What is finished is declared clean, what is settled is released, and somebody reads."""
        self.tell_what_is_decided()
        for writer in range(1, self.world.sizes[Writer]):
            if writer not in self.finished and self.is_finished(writer) and self.maybe():
                self.finished.append(writer)
                self._declare_clean(writer)
        contents = self.settled()
        if len(contents) > self.released and self.maybe():
            self.released = len(contents)
            self.chronicle.write("controller", Release, **self.at(self.released - 1))
        if self.maybe():
            self.readers.look(LOG, EPOCH, contents[: self.released])

    def end(self) -> None:
        """What may still happen happens."""
        self.between()

    def tell_what_is_decided(self) -> None:
        """What recoveries decided is recorded at once, or when it is settled."""
        for writer, slot in sorted(self.undecided):
            if self.as_decided or self.defined("settled", writer, slot):
                self.undecided.remove((writer, slot))
                said = {**self.content(writer, slot)._asdict(), "recovery": self.epoch_of(writer)}
                self.chronicle.write("controller", Mutate, **self.at(slot), **said)

    def is_finished(self, writer: int) -> bool:
        """Whether a recovery may say that it is done."""
        return self.defined("finished", writer)

    def settled(self) -> list[Content]:
        """What readers may be given: what the last recovery to finish decided, or else what was acknowledged."""
        if self.finished:
            writer = self.finished[-1]
            return [self.content(writer, slot) for slot in range(self.bridge(writer) + 1)]
        acked = {slot for (slot,) in self.after["acked"]}
        upto = next(slot for slot in range(self.world.sizes[Slot] + 1) if slot not in acked)
        return [self.content(FIRST, slot) for slot in range(upto)]

    def content(self, writer: int, slot: int) -> Content:
        """What a writer proposed."""
        value = value_of(self.after, "proposed", writer, slot)
        return Content(RECORD, 0) if value is None else contents_of(value)

    def bridge(self, writer: int) -> int:
        """Where a recovery ends the epoch."""
        mark = Value.constants.index("bridge")
        ends = (slot for by, slot, value in self.after["proposed"] if (by, value) == (writer, mark))
        return max(ends, default=0)

    def epoch_of(self, writer: int) -> int:
        """The epoch of a recovery; 0 for the sequencer of the epoch itself, as events have it."""
        return EPOCH + writer if writer else 0

    @property
    def statuses(self) -> int:
        """The version of the table of statuses."""
        return 1

    @property
    def start(self) -> dict[str, int]:
        """The epoch itself."""
        return {"log": LOG, "epoch": EPOCH, "esn": 0}

    def at(self, slot: int) -> dict[str, int]:
        """The LSN of a slot."""
        return {"log": LOG, "epoch": EPOCH, "esn": slot + 1}

    def _activate(self, writer: int) -> None:
        """The epochs of all writers up to this one are given out, in order."""
        everyone = frozenset(range(self.nodes))
        while self.activated <= writer:
            epoch, sequencer = EPOCH + self.activated, self.activated % self.nodes
            given = {"sequencer": sequencer, "nodeset": everyone, "replication": dict(self.factors)}
            self.chronicle.write("controller", NewEpoch, log=LOG, epoch=epoch, esn=0, **given)
            self.activated += 1

    def _tell_digest(self, node: int, recovery: int) -> None:
        """A node tells of every record what its newest writer, of those that came before, has stored there."""
        found = {
            slot: self.content(writer, slot)
            for holder, writer, slot in sorted(self.before[self.disks])
            if holder == node and self.epoch_of(writer) < recovery
        }
        for slot, content in found.items():
            if content.becomes == RECORD:
                told = {"node": node, "digest": content.digest, "recovery": recovery}
                self.chronicle.write(node_name(node), Digest, **self.at(slot), **told)

    def _declare_clean(self, writer: int) -> None:
        """The first recovery that is done advances the last clean epoch; whoever comes second finds it advanced."""
        if not self.is_clean:
            self.is_clean = True
            clean = {"recovery": self.epoch_of(writer)}
            self.chronicle.write("controller", Clean, **self.at(self.bridge(writer)), **clean)


def contents_of(value: int) -> Content:
    """A value as what lies at an LSN; payloads are their own hashes."""
    return Content(MARKS[value], 0) if value in MARKS else Content(RECORD, value)


def _nobody() -> dict[str, frozenset[int]]:
    return dict.fromkeys(("unavailable", "underreplicated", "empty"), frozenset[int]())
