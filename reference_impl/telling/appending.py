"""Telling runs of ``appending``: waves of stores, who has them, and who is told to delete what nobody needs.

Every record is told as one of a log of its own: the text knows no order between them. The text has no readers and no
recovery; what is released may be read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from reference_impl.telling.readers import Content
from reference_impl.telling.teller import EPOCH, Teller, node_name, value_of
from spec.events import (
    CRASH,
    RECORD,
    RESTART,
    Append,
    AppenderDone,
    DeleteSent,
    Erase,
    Fault,
    NewEpoch,
    Release,
    Store,
)
from spec.protocols.appending import Candidate
from spec.protocols.sorts import Copyset, Node, Slot


class AppendingTeller(Teller):
    """The appender of each record, in an epoch that is never recovered."""

    promises: ClassVar[tuple[str, ...]] = ("sequencers", "release", "gap_reports", "append_once", "real_time_order")
    by_controller: ClassVar[tuple[str, ...]] = ("epoch", "append", "release", "retired", "dismissed", "mutate", "fault")
    by_node: ClassVar[tuple[str, ...]] = ("store", "erase")

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
        """One log for each record."""
        return range(self.world.sizes[Slot])

    def begin(self) -> None:
        """A sequencer is given the epoch of each log."""
        self.waves: dict[int, int] = {}
        given = {"sequencer": 0, "nodeset": frozenset(range(self.nodes)), "replication": dict(self.factors)}
        for slot in self.logs:
            self.chronicle.write("controller", NewEpoch, log=slot, epoch=EPOCH, esn=0, **given)

    def begin_wave(self, slot: int, *_: int) -> None:
        """With its first wave, an append is given its LSN."""
        if slot not in self.waves:
            self.clients.append((slot, EPOCH, 1), payload_of(slot))
            self.chronicle.write("controller", Append, **at(slot), digest=payload_of(slot), sequencer=0)
        self.waves[slot] = self.waves.get(slot, 0) + 1

    def store(self, node: int, slot: int) -> None:
        """A recipient stores its copy; it names all recipients of the wave."""
        sent = value_of(self.after, "wave", slot)
        copyset = frozenset(range(self.nodes)) if sent is None else self.members(Candidate, sent)
        said = {"wave": self.waves.get(slot, 1), "becomes": RECORD, "recovery": 0, "copyset": copyset}
        self.chronicle.write(node_name(node), Store, **at(slot), node=node, digest=payload_of(slot), **said)

    def acknowledge(self, slot: int) -> None:
        """The writer is answered; it counts on those that have the newest wave."""
        self.clients.answer((slot, EPOCH, 1), copyset=self._current(slot), required=self.replication)

    def release(self, slot: int) -> None:
        """The appender retires: the first recipient is to send its record to readers."""
        leader, stay = value_of(self.after, "leader", slot), value_of(self.after, "to_stay", slot)
        leaders = frozenset[int]() if leader is None else frozenset({leader})
        left = frozenset[int]() if stay is None else self.members(Copyset, stay)
        said = {"wave": self.waves.get(slot, 1), "leaders": leaders, "stay": left, "stored": self._current(slot)}
        self.chronicle.write("controller", AppenderDone, **at(slot), **said)
        self.chronicle.write("controller", Release, **at(slot))

    def finish(self, slot: int) -> None:
        """Nobody hears of it when an appender is done."""

    def drop_extra(self, node: int, slot: int, others: int) -> None:
        """A node is told to delete its copy, and does."""
        having = {holder for holder, of in self.before["copy"] if of == slot}
        told = {"told": frozenset({node}), "kept": self.members(Copyset, others) & having - {node}}
        self.chronicle.write("controller", DeleteSent, **at(slot), wave=self.waves.get(slot, 1), **told)
        self.chronicle.write(node_name(node), Erase, **at(slot), node=node)

    def fail(self, node: int) -> None:
        """A node goes down with what it has."""
        self.chronicle.write("controller", Fault, node=node, what=CRASH)

    def come_back(self, node: int) -> None:
        """A node is up again."""
        self.chronicle.write("controller", Fault, node=node, what=RESTART)

    def between(self) -> None:
        """Somebody reads what is released, if its first recipient, which is to send it, has it and is up."""
        slot = self.chance.randrange(self.world.sizes[Slot])
        leader = value_of(self.after, "leader", slot)
        is_sent = (leader, slot) in self.after["copy"] and (leader,) not in self.after["down"]
        if (slot,) in self.after["released"] and is_sent and self.maybe():
            self.readers.look(slot, EPOCH, [Content(RECORD, payload_of(slot))])

    def end(self) -> None:
        """What may still be read is read."""
        self.between()

    def _current(self, slot: int) -> frozenset[int]:
        return frozenset(node for node, at in self.after["current"] if at == slot)


def at(slot: int) -> dict[str, int]:
    """The LSN of a slot: the first of a log of its own."""
    return {"log": slot, "epoch": EPOCH, "esn": 1}


def payload_of(slot: int) -> int:
    """The hash of what is written at a slot."""
    return slot + 1
