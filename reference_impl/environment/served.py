"""Served: one log of the machine on a small cluster, for somebody outside who appends, reads and hurts nodes.

Virtual time passes only while somebody waits for something, so whatever was begun before is under way together. Nothing
but messages of clients and readers enters the protocol; faults are those of the simulator, and undone by whoever did
them. The environment does what operators and failure detectors do.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import Final

from reference_impl.environment import detection
from reference_impl.environment.entities import open_event_log, open_log, open_reader
from reference_impl.environment.world import OpenLog, World
from reference_impl.kernel.simulator import Cut, Endpoint, Entity, Simulator
from reference_impl.kernel.step import Event
from reference_impl.kernel.weather import Weather
from reference_impl.log import addresses, client, trace_events
from reference_impl.log.context import LogContext
from reference_impl.log.lsn import lsn_of
from reference_impl.log.messages import AppendThis
from reference_impl.log.reading_messages import StartReading
from reference_impl.log.trimming import TrimUpto
from spec.events import RECORD, Deliver
from spec.language.events import column
from spec.log.topology import Topology

READER: Final = column(Deliver.reader)

LOG: Final = 0
"""The number of the log."""

ALARM: Final = -1
"""The kind of an event that is none of the vocabulary: somebody has waited long enough."""

WATCH_NS: Final = 1_500_000
"""How often the environment looks at the sequencer and the nodes."""

NAP_NS: Final = 1_000_000
"""A node that stands still is put to sleep for so long, again and again."""

HEARD: Final = frozenset(
    {
        ALARM,
        trace_events.APPEND,
        trace_events.ACK,
        trace_events.FAIL,
        trace_events.INDEFINITE,
        trace_events.RELEASE,
        trace_events.DELIVER,
        trace_events.GAP,
    }
)
"""Kinds of event that somebody outside, or the environment, acts on."""


class Served:
    """A log that is served.

    Args:
        context: the protocol.
        topology: the cluster, of nodes with one shard each.
        seed: decides delays, and who becomes the sequencer.
        weather: what the network does.

    Attributes:
        told: what became of each append, by its hash: the event that says so; none while it is under way.
        tail: the last LSN that a sequencer gave out.
    """

    def __init__(self, context: LogContext, topology: Topology, seed: int, weather: Weather) -> None:
        simulator = Simulator(seed, weather, context, lambda event: event["kind"] in HEARD)
        self._world = World(simulator, topology, Random(f"world {seed}"))
        self._known = OpenLog(LOG, self._world.nodes)
        self._world.open_logs[LOG] = self._known
        self._clients: dict[str, int] = {}
        self._streams: list[deque[Event]] = []
        self._asleep, self._apart, self._alarms = set[int](), set[int](), 0
        self.told: dict[int, Event] = {}
        self.tail = 0
        open_event_log(simulator)
        open_log(simulator, LOG, self._known.members, clients=0)
        detection.activate(self._world, LOG)
        simulator.at(0, None, self._watch)
        self._events: Iterator[Event] = simulator.run()

    # -------------------------------------------------------------------------------------------- waiting

    def wait(self, until: Callable[[], bool], at_most_ns: int) -> bool:
        """Let time pass until something is so; says whether it came to be so in time."""
        if until():
            return True
        self._alarms += 1
        number = self._alarms
        self._world.simulator.at(at_most_ns, None, partial(self._ring, number))
        for event in self._events:
            self._hear(event)
            if event["kind"] == ALARM and event["number"] == number:
                break
            if until():
                return True
        return until()

    def _ring(self, number: int) -> None:
        self._world.simulator.record("alarm", {"kind": ALARM, "number": number})

    def _hear(self, event: Event) -> None:
        match event["kind"]:
            case trace_events.ACK | trace_events.FAIL | trace_events.INDEFINITE:
                self.told.setdefault(event["digest"], event)
            case trace_events.APPEND:
                self.tail = max(self.tail, lsn_of(event["epoch"], event["esn"]))
            case trace_events.RELEASE:
                self._known.released = max(self._known.released, lsn_of(event["epoch"], event["esn"]))
            case trace_events.DELIVER | trace_events.GAP:
                self._streams[event[READER]].append(event)

    def _watch(self) -> None:
        """Look at nodes, and at the clock again; nodes that have not trimmed are told again."""
        world = self._world
        world.publish_down()
        if detection.is_due(world, self._known):
            detection.activate(world, LOG)
        for node, here in world.stores(LOG).items():
            if here.trimmed < self._known.trimmed:
                world.simulator.at(0, addresses.storage(LOG, node), TrimUpto(self._known.trimmed))
        world.simulator.at(WATCH_NS, None, self._watch)

    # --------------------------------------------------------------------------------------------- clients

    def append(self, name: str, digest: int) -> None:
        """A client begins an append, of a hash that no other append has."""
        number = self._clients.setdefault(name, len(self._clients))
        address = addresses.client(LOG, number)
        if address not in self._world.simulator.entities:
            session = client.Client(LOG, number, stopped=True)
            self._world.simulator.entities[address] = Entity(client.HANDLERS, session, f"client-{number}")
            self._cut()
        self._world.simulator.at(0, address, AppendThis(digest))

    def read(self, lsn: int) -> int:
        """A reader begins at an LSN; gives its number."""
        stream = self._known.streams
        self._known.streams += 1
        self._streams.append(deque())
        self._world.simulator.at(0, open_reader(self._world.simulator, LOG, stream), StartReading(lsn))
        self._cut()
        return stream

    def given(self, stream: int) -> deque[Event]:
        """What a reader was given or told, and nobody has taken yet."""
        return self._streams[stream]

    def trim(self, lsn: int) -> None:
        """The log's owner wants nothing more up to an LSN; nodes hear of it in their own time."""
        self._known.trimmed = max(self._known.trimmed, lsn)

    def is_released(self, lsn: int) -> bool:
        """Whether an LSN may be read."""
        return lsn <= self._known.released

    # ----------------------------------------------------------------------------------------- nodes

    def is_served(self) -> bool:
        """Whether a sequencer works."""
        return detection.works(self._world, LOG)

    def seal(self) -> None:
        """Another sequencer is to take over, in a new epoch; it seals those before it."""
        detection.activate(self._world, LOG)

    def holds(self, node: int) -> dict[int, int]:
        """The hash of each record that a node holds, by LSN."""
        held = self._world.stores(LOG)[node].copies.items()
        return {lsn: copy.digest for lsn, copy in held if copy.becomes == RECORD}

    def crash(self, node: int) -> None:
        """A node ends without warning."""
        self._world.simulator.crash(node)

    def restart(self, node: int) -> None:
        """A node starts again."""
        self._world.simulator.restart(node)

    def pause(self, node: int) -> None:
        """A node stands still until it is resumed."""
        self._asleep.add(node)
        self._nap(node)

    def resume(self, node: int) -> None:
        """A node goes on."""
        self._asleep.discard(node)
        self._world.simulator.asleep.pop(node, None)

    def partition(self, node: int) -> None:
        """A node, and all others, do not reach each other."""
        self._apart.add(node)
        self._cut()

    def heal(self, node: int) -> None:
        """A node is reached again."""
        self._apart.discard(node)
        self._cut()

    def _nap(self, node: int) -> None:
        if node in self._asleep:
            self._world.simulator.pause(node, NAP_NS)
            self._world.simulator.at(NAP_NS, None, partial(self._nap, node))

    def _cut(self) -> None:
        """Cut off whoever is apart, from those, too, who have come since."""
        entities = self._world.simulator.entities.items()
        everyone = frozenset[Endpoint](self._world.nodes).union(at for at, entity in entities if entity.host is None)
        cuts = [(frozenset[Endpoint]({node}), everyone - {node}) for node in sorted(self._apart)]
        self._world.simulator.cuts = [Cut(*sides) for one, rest in cuts for sides in ((one, rest), (rest, one))]
