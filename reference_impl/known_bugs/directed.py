"""Directed schedules: runs that random search does not find, told scene by scene.

In a scene, whatever was sent and may arrive does, in the order in which it was sent, until nothing more does; the rest
waits for a later scene. Every such run is one of the machine: the network may delay anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple, TypeAlias

from reference_impl.environment.entities import CONTROLLER
from reference_impl.kernel.step import Address, Moment
from reference_impl.known_bugs.schedule import Act, Delivery, Replay, ScheduledFault
from reference_impl.log import addresses, trace_events
from reference_impl.log.lsn import lsn_of
from reference_impl.log.messages import Activate, AppendRequest, Invoke, Retry, SetClean, Tick
from reference_impl.log.reading_messages import Alarm, Poll, StartReading
from reference_impl.log.storage_messages import Clean, Store
from reference_impl.plan import NO_FAULTS, SimulationPlan
from spec.events import READ_ONLY
from spec.log.topology import Topology

STEP_NS: Final = 1000
"""So much later is each act than the one before."""

May: TypeAlias = Callable[[Address, Any], bool]
"""Whether a message may arrive at an entity."""


class ScheduleStage(NamedTuple):
    """A part of a directed schedule.

    Attributes:
        begins: what comes from outside at its beginning.
        may: what may arrive in it.
        shut: nodes that take no stores from its beginning on.
    """

    begins: Sequence[tuple[Address, Any]]
    may: May
    shut: Sequence[int] = ()


def directed(plan: SimulationPlan, scenes: Sequence[ScheduleStage]) -> list[Act]:
    """The acts of a run that goes through these scenes."""
    replay, acts, arrived = Replay(plan), list[Act](), set[int]()

    def take(act: Act) -> None:
        if replay.take(act):
            acts.append(act)

    def deliver(to: Address, message: Any) -> None:
        take(Delivery(to, message, Moment((len(acts) + 1) * STEP_NS, 0)))

    for scene in scenes:
        for fault in _faults(scene, replay, len(acts)):
            take(fault)
        for to, message in scene.begins:
            deliver(to, message)
        for place, (to, message) in enumerate(replay.sent):  # which grows on the way
            if place not in arrived and scene.may(to, message):
                arrived.add(place)
                deliver(to, message)
    return acts


def _faults(scene: ScheduleStage, replay: Replay, number: int) -> Iterator[ScheduledFault]:
    stamp = {"recorder": CONTROLLER, "seq": 0, "time_ns": (number + 1) * STEP_NS}
    for node in scene.shut:
        read_only = replay.context.read_only | {node}
        yield ScheduledFault(
            {**trace_events.fault(node, READ_ONLY).event, **stamp}, replace(replay.context, read_only=read_only)
        )


# ------------------------------------------------------------------------------- filtered before bridges

FOUR: Final = SimulationPlan(
    topology=Topology.flat(4), replication={"node": 2}, logs=1, clients=2, readers=1, faults=NO_FAULTS
)
"""Four nodes, of which any three are an f-majority."""

STRAY, SILENT, SHUT = 0, 2, 3
"""Who has the record that nobody else stores; who has the bridge and is silent; and who has it and takes no stores."""

FIRST_RECOVERY: Final = 2
"""The epoch of the sequencer whose recovery puts the bridge below that record."""

PATIENT: Final = (Retry, Tick, Poll, Alarm, Invoke, AppendRequest)
"""Nobody repeats anything, and after the two appends nobody asks for more."""


def _appended(to: Address, message: Any) -> bool:
    """Of two appends only one copy arrives, of the second."""
    if isinstance(message, Store):
        return (to[2], message.lsn) == (STRAY, lsn_of(1, 2))
    return isinstance(message, AppendRequest) or not isinstance(message, PATIENT)


def _closed(to: Address, message: Any) -> bool:
    """A recovery does not hear of it; nobody is told that it has finished."""
    hears = to[0] != "storage" or to[2] != STRAY
    return hears and not isinstance(message, (Store, Clean, SetClean, *PATIENT))


def _revived(to: Address, message: Any) -> bool:
    """The next recovery finishes, and a reader is given what it left; of what came before nothing more arrives."""
    late = isinstance(message, (Clean, SetClean)) and message.cleaned.recovery == FIRST_RECOVERY
    return to != addresses.storage(0, SILENT) and not late and not isinstance(message, (Store, *PATIENT))


CLOSED: Final = (
    ScheduleStage(
        [
            (addresses.sequencer(0, STRAY), Activate()),
            (addresses.client(0, 0), Invoke()),
            (addresses.client(0, 1), Invoke()),
        ],
        _appended,
    ),
    ScheduleStage([(addresses.sequencer(0, SHUT), Activate())], _closed),
)
"""A finished recovery has put a bridge below a record that it has not heard of."""

REVIVED: Final = ScheduleStage(
    [(addresses.sequencer(0, STRAY), Activate()), (addresses.reader(0, 0), StartReading(lsn_of(1, 1)))], _revived
)
"""Another recovery hears of both, and a reader uses it."""

DIRECTED: Final[Mapping[str, tuple[SimulationPlan, Sequence[ScheduleStage]]]] = {
    "filtered_before_bridges": (FOUR, (*CLOSED, REVIVED._replace(shut=[SHUT]))),
    "bridges_end_nothing": (FOUR, (*CLOSED, REVIVED)),
}
"""By mutant, the plan and the scenes that show what it does: a finished recovery's bridge is known only to a node that
takes no stores, or counts for nothing, and the record above it comes back."""
