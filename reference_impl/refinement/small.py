"""Refinement of everything that a small machine can do: one log, a few appends, and sequencers that take over.

All sequencers have been given their epochs, each on a node of its own, and their recoveries have asked the nodes to
seal: whatever the text could see before that, it can also see after it. All else is open; see ``kernel.soup``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from reference_impl.environment.entities import open_log
from reference_impl.kernel.deliveries import NOW, Packet, Soup
from reference_impl.kernel.mix import mix
from reference_impl.kernel.simulator import Entity, Simulator, Transition
from reference_impl.kernel.soup import explore
from reference_impl.kernel.step import Address, Send, step
from reference_impl.kernel.weather import CALM
from reference_impl.log import addresses
from reference_impl.log.context import EXTRAS, WRITE_STREAMS, LogContext, Timing
from reference_impl.log.copies import Nodes
from reference_impl.log.epoch_store import EpochStore
from reference_impl.log.messages import AppendRequest, EpochGiven, Tick
from reference_impl.log.reading_messages import StartSending
from reference_impl.log.releasing import releasable
from reference_impl.log.sequencer import Role, Sequencer
from reference_impl.plan import BadPlan, SimulationPlan
from reference_impl.refinement.broken import Broken
from reference_impl.refinement.exhausted import Exhausted
from reference_impl.refinement.follow import ACTIONS, Refused, follow
from reference_impl.refinement.reading import answered, asked
from reference_impl.refinement.texts import EpochText, LogText
from reference_impl.refinement.worlds import Worlds
from reference_impl.simulate import context_for
from spec.log.topology import Topology

LOG: Final = 0

STATES_MAX: Final = 2_000_000
"""More states than memory should be asked to hold."""


@dataclass(frozen=True)
class Bounds:
    """How much can happen.

    Attributes:
        appends: how many appends the first sequencer is asked for, each by a client of its own.
        recoveries: how many more sequencers there are; each recovers all epochs before its own.
        waves: how often the first sequencer tries to store an append that is not stored, with a new copyset if it can.
        cleans: whether the epoch store is there; without it, recoveries do not get beyond the first epoch.
        releases: whether sequencers tell nodes what may be read, upon which nodes purge.
        streams: whether the appends are a write stream of one client.
        extras: how many members copysets have beyond copies; who has a copy that is not needed is told to delete it.
        reads: whether somebody reads from every node all that it may show, at any time and as often as possible.
        mutant: the name of a deviation of the machine; "" for the correct one.

    Raises:
        BadPlan: a number is too small, there are more sequencers than nodes, or too few nodes for the copies.
    """

    nodes: int = 3
    replication: int = 2
    appends: int = 1
    recoveries: int = 1
    waves: int = 1
    cleans: bool = True
    releases: bool = True
    streams: bool = False
    extras: int = 0
    reads: bool = False
    mutant: str = ""

    def __post_init__(self) -> None:
        if min(self.appends, self.recoveries, self.extras) < 0 or self.waves < 1:
            raise BadPlan(f"{self}: give no negative number, and one wave at least")
        if self.recoveries >= self.nodes:
            raise BadPlan(f"{self.recoveries + 1} sequencers on {self.nodes} nodes: give each a node of its own")
        _ = self.plan

    @property
    def nodesets(self) -> dict[int, Nodes]:
        """The nodeset of every epoch: all nodes."""
        return dict.fromkeys(range(1, self.recoveries + 2), frozenset(range(self.nodes)))

    @property
    def plan(self) -> SimulationPlan:
        """The cluster, as simulations have it."""
        variants = (WRITE_STREAMS,) * self.streams + (EXTRAS,) * bool(self.extras)
        return SimulationPlan(
            topology=Topology.flat(self.nodes),
            replication={"node": self.replication},
            variants=variants,
            extras=self.extras or 1,
            mutant=self.mutant,
        )


def exhaust(bounds: Bounds, states_max: int = STATES_MAX) -> Exhausted[Broken]:
    """Explore everything that the machine can do within bounds; the text follows each step.

    Raises:
        UnknownMutant: there is no such mutant.
    """
    plan = bounds.plan
    worlds = Worlds(plan.topology.parameters(), plan.replication)
    by_action = dict.fromkeys(ACTIONS, 0)

    def witness(log: LogText, taken: Transition) -> LogText | None:
        found = follow(worlds, log, taken)
        if isinstance(found, Refused):
            return None
        for action in found.actions:
            by_action[action] += 1
        return found.log

    start = tuple(EpochText(nodeset=nodes) for nodes in bounds.nodesets.values())
    explored = explore(soup_of(bounds), start, witness, states_max)
    broken = None
    if (objection := explored.objection) is not None:
        refused = follow(worlds, objection.witness, objection.trail[-1])
        broken = Broken(refused, len(objection.trail), objection.trail) if isinstance(refused, Refused) else None
    return Exhausted(explored.states, explored.transitions, explored.depth, explored.complete, by_action, broken)


def soup_of(bounds: Bounds) -> Soup:
    """The machine when recoveries have just begun, and what it will be asked for."""
    context = replace(context_for(bounds.plan), timing=Timing(wave_ns=0, grace_ns=0))
    if not bounds.releases:
        context = context.deciding(releasable.otherwise(_nothing))
    entities = _entities(bounds, context)
    sent: list[Packet] = []
    for epoch in bounds.nodesets:
        given = EpochGiven(0, epoch, {e: nodes for e, nodes in bounds.nodesets.items() if e <= epoch}, {})
        sent += _deliver(entities, (addresses.sequencer(LOG, epoch - 1), given), context)
    if bounds.reads:
        slots = bounds.appends + bounds.recoveries
        sent += [packet for epoch in bounds.nodesets for packet in asked(LOG, bounds.nodes, epoch, slots)]
    return Soup(entities, tuple(sent), tuple(_inputs(bounds)), context)


def _entities(bounds: Bounds, context: LogContext) -> dict[Address, Entity]:
    simulator = Simulator(0, CALM, context)
    open_log(simulator, LOG, bounds.nodesets[1], clients=0)
    entities = simulator.entities
    entities[addresses.epoch_store(LOG)].state = EpochStore(
        LOG, bounds.nodesets[1], max(bounds.nodesets), 0, bounds.nodesets
    )
    for node in range(bounds.nodes):
        entities[addresses.sequencer(LOG, node)].state = Sequencer(LOG, node, Role.ASKING)
    for node in range(bounds.nodes) if bounds.reads else ():
        storage = entities[addresses.storage(LOG, node)]
        storage.handlers = {**storage.handlers, StartSending: answered}
    if not bounds.cleans:
        del entities[addresses.epoch_store(LOG)]
    return entities


def _deliver(entities: Mapping[Address, Entity], packet: Packet, context: LogContext) -> Iterator[Packet]:
    """Deliver a message, and what a sequencer and its recovery then tell each other; give all else that they send."""
    to, message = packet
    stepped = step(entities[to].handlers, entities[to].state, message, NOW, context)
    entities[to].state, effects = stepped or (entities[to].state, ())
    for effect in effects:
        if isinstance(effect, Send) and effect.to[0] in ("sequencer", "recovery"):
            yield from _deliver(entities, (effect.to, effect.message), context)
        elif isinstance(effect, Send):
            yield effect.to, effect.message


def _nothing(sequencer: Sequencer) -> None:
    """Nothing is ever released."""


def _inputs(bounds: Bounds) -> Iterator[Packet]:
    first = addresses.sequencer(LOG, 0)
    for append in range(bounds.appends):
        client, number = (0, append + 1) if bounds.streams else (append, 1)
        place = number if bounds.streams else 0
        yield first, AppendRequest(client, number, 1, mix(append), place=place, resumes=place == 1)
    for _ in range(bounds.waves - 1):
        yield first, Tick(1)
