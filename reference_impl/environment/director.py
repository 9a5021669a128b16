"""The director: opens and closes logs, keeps sequencers running, and begins readers, all from one seed.

It is the environment, not the protocol: it sees everything, and does only what operators and failure detectors do.
LogDevice, Recovery: the failure is detected, and a sequencer is activated on a healthy node.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from reference_impl.environment import damage, detection, losses
from reference_impl.environment.entities import (
    CONTROLLER,
    close_log,
    open_event_log,
    open_log,
    open_metadata_log,
    open_reader,
)
from reference_impl.environment.nemesis import Nemesis
from reference_impl.environment.trims import Owner
from reference_impl.environment.world import OpenLog, World
from reference_impl.kernel.simulator import Simulator
from reference_impl.kernel.step import Event
from reference_impl.log import addresses, trace_events
from reference_impl.log.context import METADATA_LOG, LogContext
from reference_impl.log.lsn import epoch_of, esn_of, lsn_of
from reference_impl.log.messages import Invoke, Stop
from reference_impl.log.reading_messages import StartReading
from reference_impl.log.rebuilding.messages import LogGone
from reference_impl.plan import SimulationPlan

WATCH_NS: Final = 1_500_000
"""How often the director looks at logs and nodes."""

WIND_DOWN_NS: Final = 30_000_000
"""How long readers may catch up once a log's clients have stopped."""


class Director:
    """Steers one run.

    Args:
        plan: the run.
        context: the protocol, correct or not.

    Attributes:
        world: the cluster under way.
        nemesis: lets faults strike.
        owner: trims logs.
    """

    def __init__(self, plan: SimulationPlan, context: LogContext) -> None:
        self.plan = plan
        simulator = Simulator(plan.seed, plan.faults.weather, context, self._is_news)
        self.world = World(simulator, plan.topology, Random(f"world {plan.seed}"))
        self.nemesis = Nemesis(self.world, Random(f"faults {plan.seed}"), plan.faults.rates, self._activate)
        self.owner = Owner(self.world, Random(f"trims {plan.seed}"), plan.trims)
        self._opened = 0

    def run(self) -> Iterator[Event]:
        """All events of the run, as they happen."""
        simulator = self.world.simulator
        open_event_log(simulator)
        self.world.record(CONTROLLER, [self.world.statuses.note()])
        for _ in range(min(self.plan.open_logs, self.plan.number_of_logs)):
            self._open_log()
        simulator.at(WATCH_NS, None, self._watch)
        self.nemesis.strike_next()
        self.owner.trim_next()
        open_logs = self.world.open_logs
        for event in simulator.run():
            yield event
            kind = event["kind"]
            if kind == trace_events.STATUS:
                self.world.adopt()
                losses.settle(self.world)
            known = open_logs.get(event.get("log", -1))
            if known is not None:
                known.events += 1
                if kind == trace_events.APPEND:
                    known.tail = max(known.tail, lsn_of(event["epoch"], event["esn"]))
                elif kind in (trace_events.INDEFINITE, trace_events.CLEAN):
                    self._saw(known, event)
                elif kind == trace_events.STORE:
                    damage.lose_for_good(self.world, known.log, event["node"], lsn_of(event["epoch"], event["esn"]))

    def _is_news(self, event: Event) -> bool:
        """A release is an event only where it moves the log's pointer: a late one of an old sequencer does not."""
        if event["kind"] != trace_events.RELEASE:
            return True
        known, lsn = self.world.open_logs[event["log"]], lsn_of(event["epoch"], event["esn"])
        moves = lsn > known.released
        known.released = max(known.released, lsn)
        return moves

    def _saw(self, known: OpenLog, event: Event) -> None:
        if event["kind"] == trace_events.INDEFINITE:
            known.gave_up.add(event["digest"])
        else:
            cleaned = self.world.epochs(known.log).cleaned[event["epoch"]]
            damage.corrupt(self.world, known.log, cleaned, self.plan.faults.corrupt)

    # ------------------------------------------------------------------------------------------------ logs

    def _open_log(self) -> None:
        world, log = self.world, self._opened
        members = world.serving()
        world.open_logs[log] = OpenLog(log, members)
        self._opened += 1
        open_log(world.simulator, log, members, self.plan.clients)
        if METADATA_LOG in self.plan.variants:
            open_metadata_log(world.simulator, log)
        self._activate(log)
        for client in range(self.plan.clients):
            world.simulator.at(world.rng.randint(0, WATCH_NS), addresses.client(log, client), Invoke())

    def _activate(self, log: int, sequencers: int = 1) -> None:
        """Make a healthy node the log's sequencer, or several at once; as many as there are."""
        detection.activate(self.world, log, sequencers)

    def _watch(self) -> None:
        """Look at all logs and nodes, and at the clock again."""
        world = self.world
        world.publish_down()
        losses.follow(world)
        losses.bring_back(world)
        for known in list(world.open_logs.values()):
            if detection.is_due(world, known):
                self._activate(known.log)
            self._watch_readers(known)
            self.owner.remind(known)
            self._watch_end(known)
        while len(world.open_logs) < self.plan.open_logs and self._opened < self.plan.number_of_logs:
            self._open_log()
        if world.open_logs:
            world.simulator.at(WATCH_NS, None, self._watch)

    def _watch_readers(self, known: OpenLog) -> None:
        """Begin the next reader once its share of the log's events has been."""
        streams = self.plan.readers
        if known.streams < streams and known.events * streams >= self.plan.share * known.streams:
            reader = open_reader(self.world.simulator, known.log, known.streams)
            start = self._where_to_read(known)
            known.begun.add(start)
            self.world.simulator.at(0, reader, StartReading(start))
            known.streams += 1

    def _where_to_read(self, known: OpenLog) -> int:
        """Every second reader starts at the first LSN, others somewhere in what the first reader was given."""
        first = self.world.state(addresses.reader(known.log, 0))
        if known.streams % 2 == 0 or first.next_lsn == 0:
            return lsn_of(1, 1)
        epoch = self.world.rng.randint(1, epoch_of(first.next_lsn))
        cleaned = self.world.epochs(known.log).cleaned.get(epoch)
        reached = epoch == epoch_of(first.next_lsn) or cleaned is None
        last = esn_of(first.next_lsn) if reached or cleaned is None else cleaned.end
        start = lsn_of(epoch, self.world.rng.randint(1, max(1, last)))
        return next(lsn for lsn in range(start, 0, -1) if lsn not in known.lost)

    def _watch_end(self, known: OpenLog) -> None:
        """Wind a log down when its share of the run is used up and another is waiting for its place."""
        now_ns = self.world.simulator.now_ns
        if known.stopped_at_ns is not None:
            if now_ns - known.stopped_at_ns > WIND_DOWN_NS:
                close_log(self.world.simulator, known.log, len(self.world.nodes), self.plan.clients, self.plan.readers)
                del self.world.open_logs[known.log]
                self.world.tell(LogGone(known.log))
        elif known.events >= self.plan.share and self._opened < self.plan.number_of_logs:
            known.stopped_at_ns = now_ns
            for client in range(self.plan.clients):
                self.world.simulator.at(0, addresses.client(known.log, client), Stop())
