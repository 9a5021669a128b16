"""Refinement of everything that a small machine can do: one reader, a few nodes, a few records, and nodes that fail.

The records are stored and released when the reader begins. Messages come in any order, again and again, or not; timers
go off, nodes crash and disks are lost as often as the bounds say, at any time; see ``kernel.soup``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias

from reference_impl.environment.entities import open_log, open_reader
from reference_impl.kernel.deliveries import Packet, Soup
from reference_impl.kernel.mix import mix
from reference_impl.kernel.pages import Pages
from reference_impl.kernel.simulator import Entity, Simulator, Transition
from reference_impl.kernel.soup import explore
from reference_impl.kernel.step import Address, Moment, Send, Stepped
from reference_impl.kernel.weather import CALM
from reference_impl.log import addresses
from reference_impl.log.alarms import NOBODY, Alarms
from reference_impl.log.context import LogContext
from reference_impl.log.copies import Copy, Nodes
from reference_impl.log.disk import DiskLost, lose_disk
from reference_impl.log.lsn import lsn_of
from reference_impl.log.messages import Nodeset
from reference_impl.log.node_log import NodeLog
from reference_impl.log.reader import Reader
from reference_impl.log.reading_messages import Alarm, Poll, StartReading, StatusesTold
from reference_impl.log.statuses import Statuses
from reference_impl.log.storage import after_crash
from reference_impl.log.stream.timers import Timer
from reference_impl.plan import BadPlan, SimulationPlan
from reference_impl.refinement.delivery.broken import Broken
from reference_impl.refinement.delivery.copysets import Groups
from reference_impl.refinement.delivery.following import Refused, follow
from reference_impl.refinement.delivery.runs import ACTIONS
from reference_impl.refinement.delivery.texts import Held, LogDelivery
from reference_impl.refinement.exhausted import Exhausted
from reference_impl.simulate import context_for
from spec.events import RECORD
from spec.log.topology import Topology

LOG: Final = 0

STATES_MAX: Final = 1_000_000
"""More states than memory should be asked to hold."""

PER_SHARD: Final = (Timer.RECONNECT, Timer.STARTED)
"""Timers that each node has."""


Handle: TypeAlias = Callable[[Reader, Any, Moment, LogContext], Stepped[Reader]]
"""What a reader does with a message."""


class Crash(NamedTuple):
    """Input: a node loses what it only remembers, and goes on at once."""


@dataclass(frozen=True)
class Bounds:
    """How much can happen.

    Attributes:
        delivery: who sends a record.
        copyset: the nodes that every copy names.
        records: the nodes that have a copy of each record, the first record first.
        timers: how often each timer of the reader may go off; those of a node for each of them.
        crashes: the nodes that may crash, each once for every time that it is named.
        lost: the nodes whose disk may be lost, of which the event log may tell.
        mutant: the name of a deviation of the machine; "" for the correct one.

    Raises:
        BadPlan: a node is named that is not there.
    """

    nodes: int = 3
    delivery: str = "single_copy"
    copyset: Nodes = frozenset({0, 1})
    records: tuple[Nodes, ...] = (frozenset({0, 1}),)
    timers: Mapping[Timer, int] = field(default_factory=dict)
    crashes: tuple[int, ...] = ()
    lost: Nodes = frozenset()
    mutant: str = ""

    def __post_init__(self) -> None:
        named = self.copyset.union(self.lost, self.crashes, *self.records)
        if not named <= frozenset(range(self.nodes)):
            raise BadPlan(f"{sorted(named)} are not all among {self.nodes} nodes")
        _ = self.plan

    @property
    def plan(self) -> SimulationPlan:
        """The cluster, as simulations have it."""
        return SimulationPlan(
            topology=Topology.flat(self.nodes),
            replication={"node": len(self.copyset)},
            delivery=(self.delivery,),
            mutant=self.mutant,
        )


def exhaust(bounds: Bounds, states_max: int = STATES_MAX) -> Exhausted[Broken]:
    """Explore everything that the machine can do within bounds; the text follows each step.

    Raises:
        UnknownMutant: there is no such mutant.
    """
    plan = bounds.plan
    context = context_for(plan)
    groups = Groups(plan.topology.parameters(), plan.replication, context.closeness)
    by_action = dict.fromkeys(ACTIONS, 0)

    def witness(log: LogDelivery, taken: Transition) -> LogDelivery | None:
        found = follow(groups, log, taken, context)
        if isinstance(found, Refused):
            return None
        for action, times in found.actions:
            by_action[action] += times
        return log if found.log == log else found.log

    explored = explore(soup_of(bounds, context), _start(bounds), witness, states_max)
    broken = None
    if (objection := explored.objection) is not None:
        refused = follow(groups, objection.witness, objection.trail[-1], context)
        broken = Broken(refused, len(objection.trail), objection.trail) if isinstance(refused, Refused) else None
    return Exhausted(explored.states, explored.transitions, explored.depth, explored.complete, by_action, broken)


def _start(bounds: Bounds) -> LogDelivery:
    held = Pages[tuple[Held, ...]]()
    for esn, nodes in enumerate(bounds.records, 1):
        held = held.with_(lsn_of(1, esn), (Held(bounds.copyset, nodes),))
    return LogDelivery(released=_end(bounds), nodesets=(frozenset(range(bounds.nodes)),), held=held)


def _end(bounds: Bounds) -> int:
    """The last LSN that is released: whoever has nothing there shows that nothing is missing before."""
    return lsn_of(1, len(bounds.records))


def soup_of(bounds: Bounds, context: LogContext) -> Soup:
    """The machine before its reader begins, and what may happen to it."""
    nodeset = frozenset(range(bounds.nodes))
    sent: list[Packet] = [(addresses.reader(LOG, 0), Nodeset(1, nodeset))]
    return Soup(_entities(bounds, context), tuple(sent), tuple(_inputs(bounds)), context)


def _entities(bounds: Bounds, context: LogContext) -> dict[Address, Entity]:
    simulator = Simulator(0, CALM, context)
    open_log(simulator, LOG, frozenset(range(bounds.nodes)), clients=0)
    reader = open_reader(simulator, LOG, 0)
    found = {reader: simulator.entities[reader]}
    found[reader].handlers = {kind: _numberless(handle) for kind, handle in found[reader].handlers.items()}
    for node in range(bounds.nodes):
        address = addresses.storage(LOG, node)
        storage = simulator.entities[address]
        storage.handlers = {**storage.handlers, Crash: _crash, DiskLost: _lose_disk}
        copies = Pages[Copy]()
        for esn, nodes in enumerate(bounds.records, 1):
            if node in nodes:
                copies = copies.with_(lsn_of(1, esn), Copy(RECORD, mix(esn), 0, 1, bounds.copyset))
        storage.state = NodeLog(LOG, node, copies=copies, released=_end(bounds))
        found[address] = storage
    return found


def _numberless(handle: Handle) -> Handle:
    """Let a timer go off if it runs, however often it was set before."""

    def numberless(reader: Reader, message: Any, moment: Moment, context: LogContext) -> Stepped[Reader]:
        stepped = handle(reader, message, moment, context)
        if stepped is None:
            return None
        after, effects = stepped
        return after._replace(alarms=Alarms(dict.fromkeys(after.alarms.running, 0))), effects

    return numberless


def _crash(here: NodeLog, message: Crash, moment: Moment, context: LogContext) -> Stepped[NodeLog]:  # noqa: ARG001 - as all
    """What the sequencer released it hears again before anybody asks."""
    return context.decides(after_crash)(here)._replace(released=here.released), ()


def _lose_disk(here: NodeLog, message: DiskLost, moment: Moment, context: LogContext) -> Stepped[NodeLog]:
    """Once a disk is lost, the event log tells of it."""
    stepped = lose_disk(here, message, moment, context)
    told = StatusesTold(Statuses(1, underreplicated=frozenset({here.node})))
    return None if stepped is None else (stepped[0], (*stepped[1], Send(addresses.reader(LOG, 0), told)))


def _inputs(bounds: Bounds) -> Iterator[Packet]:
    reader = addresses.reader(LOG, 0)
    yield reader, StartReading(lsn_of(1, 1))
    for timer, times in bounds.timers.items():
        shards = range(bounds.nodes) if timer in PER_SHARD else (NOBODY,)
        yield from ((reader, Alarm(timer, shard, 0)) for shard in shards for _ in range(times))
    for node in bounds.crashes:
        yield reader, Poll()
        yield addresses.storage(LOG, node), Crash()
    for node in sorted(bounds.lost):
        yield addresses.storage(LOG, node), DiskLost()
