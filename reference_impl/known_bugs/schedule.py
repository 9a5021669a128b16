"""Schedules: a simulated run as data, of which any part can be run again.

An act is one message that an entity takes, or one fault of the cluster. A part of a schedule is a run of the machine,
too: the network may lose, delay, repeat and reorder, so whatever was sent may arrive at any later time, or never. What
nobody has sent is left out, and so is what is not enabled.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple, TypeAlias

from reference_impl.environment.director import Director
from reference_impl.environment.entities import open_donor, open_log, open_reader
from reference_impl.kernel.simulator import Simulator, Transition
from reference_impl.kernel.step import Address, After, Event, Moment, Note, Send, step
from reference_impl.kernel.weather import CALM
from reference_impl.log import disk, trace_events
from reference_impl.log.messages import Activate, Invoke, Stop
from reference_impl.log.reading_messages import StartReading, StatusesTold
from reference_impl.log.rebuilding.event_log import ADDRESS as EVENT_LOG
from reference_impl.log.rebuilding.messages import ComeBack, InService, Rebuild
from reference_impl.plan import SimulationPlan
from reference_impl.simulate import context_for
from spec.events import CRASH, DRAIN, HEAL, PARTITION, READ_ONLY, RESTART, Fault
from spec.language.events import column

WHAT: Final = column(Fault.what)

REPLAYED: Final = frozenset({"crash", "reactivate", "duel", "misjudge", "straggler", "one_way", "drain"})
"""Faults that a schedule can tell: of a network that is cut it tells what is taken all the same."""

FAULT_VERBS: Final = {
    CRASH: "crashes",
    RESTART: "restarts",
    PARTITION: "is cut off",
    HEAL: "is reached again",
    DRAIN: "is to be drained",
    READ_ONLY: "takes no more stores",
}
"""What faults do to a node; where the network is cut, messages are merely not taken."""

TOLD: Final = (trace_events.REBUILDING, trace_events.DONATED, trace_events.EMPTIED)
"""What the event log makes of what it is told; it takes no steps in a schedule."""

DISK: Final = tuple(disk.HANDLERS)
"""What happens to disks, also of nodes that are not running."""

INPUTS: Final = (Activate, Invoke, StartReading, Stop, Rebuild, InService, ComeBack, *DISK)
"""What comes from outside, so that nobody needs to have sent it."""


class NotReplayable(ValueError):
    """A plan has faults that schedules do not tell; the message names them."""


class Delivery(NamedTuple):
    """An entity takes a message at this moment."""

    to: Address
    message: Any
    moment: Moment


class ScheduledFault(NamedTuple):
    """A fault of the cluster, as its event says; ``context`` is what all entities share from then on."""

    event: Event
    context: Any


Act: TypeAlias = Delivery | ScheduledFault


def schedule_of(plan: SimulationPlan) -> tuple[list[Act], list[Event]]:
    """The acts of a simulated run and its events.

    Raises:
        NotReplayable: the plan has faults that are no acts, or more than one log.
    """
    untold = set(plan.faults.rates) - REPLAYED
    if untold or plan.faults.corrupt or plan.number_of_logs > 1:
        raise NotReplayable(f"leave out {', '.join(sorted(untold)) or 'what is corrupt, and all logs but one'}")
    acts: list[Act] = []

    def watch(taken: Transition) -> None:
        # What the event log makes of a delta is told by the fault that follows: the table, and its event.
        if taken.to != EVENT_LOG:
            acts.append(Delivery(taken.to, taken.message, taken.moment))

    director = Director(plan, context_for(plan))
    director.world.simulator.observer = watch
    events: list[Event] = []
    for event in director.run():
        events.append(event)
        if event["kind"] in (trace_events.FAULT, trace_events.STATUS, *TOLD):
            acts.append(ScheduledFault(event, director.world.simulator.context))
        if len(events) == plan.events:
            break
    return acts, events


class Replay:
    """One log of a plan, all of whose readers are there from the start, and whatever was sent in it so far.

    Attributes:
        events: what was recorded.
        sent: every message that was sent, and every timer, once and in order.
    """

    def __init__(self, plan: SimulationPlan) -> None:
        self.context = context_for(plan)
        self.simulator = Simulator(plan.seed, CALM, self.context)
        nodes = frozenset(range(len(plan.topology.locations)))
        open_log(self.simulator, 0, nodes, plan.clients)
        for stream in range(plan.readers):
            open_reader(self.simulator, 0, stream)
        self.events: list[Event] = []
        self.sent: list[tuple[Address, Any]] = []
        self._sent: dict[tuple[Address, type], list[Any]] = defaultdict(list)
        self._recorded: dict[str, int] = defaultdict(int)
        self._released = (0, 0)

    def take(self, act: Act) -> bool:
        """Let it happen, if it can."""
        return self._strike(act) if isinstance(act, ScheduledFault) else self._deliver(act)

    def _strike(self, fault: ScheduledFault) -> bool:
        """A fault strikes if it can; what the event log makes of what it is told is only recorded."""
        event = fault.event
        if event["kind"] == trace_events.FAULT and not self._strikes(event[WHAT], event["node"]):
            return False
        self.context = fault.context
        order = max(event["seq"], self._recorded[event["recorder"]] + 1)
        self._record({**event, "seq": order})
        return True

    def _strikes(self, fault: int, node: int) -> bool:
        simulator = self.simulator
        if fault == CRASH and node not in simulator.down:
            simulator.crash(node)
        elif fault == RESTART and node in simulator.down:
            simulator.restart(node)
        else:
            return fault not in (CRASH, RESTART)
        return True

    def _record(self, event: Event) -> None:
        self.events.append(event)
        self._recorded[event["recorder"]] = event["seq"]

    def _deliver(self, act: Delivery) -> bool:
        to, message, moment = act
        if to[0] == "donor":
            open_donor(self.simulator, to[1], to[2])
        entity = self.simulator.entities[to]
        known = isinstance(message, INPUTS) or self._is_told(message) or message in self._sent[to, type(message)]
        stopped = entity.host in self.simulator.down and not isinstance(message, DISK)
        if stopped or not known:
            return False
        order = max(moment.order, self._recorded[entity.recorder] + 1)
        stepped = step(entity.handlers, entity.state, message, moment._replace(order=order), self.context)
        if stepped is None or (stepped[0] == entity.state and not stepped[1]):
            return False
        entity.state, effects = stepped
        for effect in effects:
            if isinstance(effect, Note):
                if self._is_news(effect.event):
                    stamp = {"recorder": entity.recorder, "seq": order, "time_ns": moment.now_ns}
                    self._record({**effect.event, **stamp})
                    order += 1
            else:
                self._send(to, effect)
        return True

    def _is_told(self, message: Any) -> bool:
        """The event log has a table of statuses, and readers may hear of it at any later time."""
        return isinstance(message, StatusesTold) and message.statuses.version <= self.context.statuses.version

    def _send(self, sender: Address, effect: Send | After) -> None:
        to = effect.to if isinstance(effect, Send) else sender
        sent = self._sent[to, type(effect.message)]
        if effect.message not in sent:
            sent.append(effect.message)
            self.sent.append((to, effect.message))

    def _is_news(self, event: Event) -> bool:
        """A release is an event only where it moves the pointer of its log."""
        if event["kind"] != trace_events.RELEASE:
            return True
        moves = (event["epoch"], event["esn"]) > self._released
        self._released = max(self._released, (event["epoch"], event["esn"]))
        return moves


def replayed(plan: SimulationPlan, acts: Iterable[Act]) -> tuple[list[Act], list[Event]]:
    """Run a part of a schedule: the acts that could happen, and what was recorded."""
    replay = Replay(plan)
    taken = [act for act in acts if replay.take(act)]
    return taken, replay.events


def acts_in_words(acts: Iterable[Act]) -> Iterator[str]:
    """Acts for people: who takes which message, and what happens to whom."""
    for act in acts:
        if isinstance(act, Delivery):
            role, _, number = act.to
            yield f"{role} {number} takes {type(act.message).__name__}"
        else:
            word = FAULT_VERBS.get(act.event.get(WHAT, -1), "")
            yield f"node {act.event['node']} {word}" if word else "the statuses of nodes change"
