"""The order of replay: as the trace was written where one clock orders it, else any order that clocks allow.

Recorders that share a clock and are written down as things happen give one order. Otherwise only each recorder's own
order is certain, and that events further apart than the clock bound happened in the order of their times. Among the
events that may come next, the machine takes the first that it accepts: if it accepts all of them in some order, the
trace is a behaviour. If it gets stuck after there was a choice, another choice might have gone further, so the trace is
unknown and not refused.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Generic, Protocol, TypeVar

from conformance.trace.rows import EventRow


class Refuses(Protocol):
    """Why an event is no step."""

    @property
    def ordered(self) -> bool:
        """It depends on the order of events of different recorders."""
        ...


R = TypeVar("R", bound=Refuses)
R_co = TypeVar("R_co", bound=Refuses, covariant=True)


class Takes(Protocol[R_co]):
    """A machine, or a text, that takes events as steps; after a refusal it is where it was."""

    def step(self, event: EventRow, /) -> R_co | None:
        """Take an event, or say why it is no step."""
        ...


@dataclass(frozen=True)
class Stuck(Generic[R]):
    """Where the machine got stuck.

    Attributes:
        choices: how many times more than one event could have come next; with 0, the refusal is certain.
    """

    refusal: R
    choices: int


class AgainstOwnOrder(Exception):
    """An event is written after one that its recorder saw later: lines do not stand as things happened."""


def in_own_order(events: Iterable[EventRow]) -> Iterator[EventRow]:
    """The same events, as long as those of each recorder stand in its own order.

    Raises:
        AgainstOwnOrder: one does not.
    """
    last: dict[str, int] = {}
    for event in events:
        name, seq = event["recorder"], event["seq"]
        if seq < last.get(name, seq):
            raise AgainstOwnOrder
        last[name] = seq
        yield event


def as_written(machine: Takes[R], events: Iterable[EventRow]) -> Stuck[R] | None:
    """Replay events in the order in which they are written."""
    step = machine.step
    for event in events:
        if (refusal := step(event)) is not None:
            return Stuck(refusal, 0)
    return None


def by_clocks(machine: Takes[R], events: Iterable[EventRow], bound_ns: int) -> Stuck[R] | None:
    """Replay events in some order that their recorders and clocks allow; all of them are kept in memory."""
    queues = _queues(events)
    heads = sorted((_time(queue[0]), name) for name, queue in queues.items())
    choices = 0
    while heads:
        upto_ns = heads[0][0] + bound_ns
        choices += len(heads) > 1 and min(heads[1:3])[0] <= upto_ns
        taken, refusal = _first_accepted(machine, queues, heads, upto_ns)
        if taken is None:
            return None if refusal is None else Stuck(refusal, choices if refusal.ordered else 0)
        time_ns, name = taken
        if queues[name]:
            heappush(heads, (max(time_ns, _time(queues[name][0])), name))
    return None


def _first_accepted(
    machine: Takes[R], queues: dict[str, deque[EventRow]], heads: list[tuple[int, str]], upto_ns: int
) -> tuple[tuple[int, str] | None, R | None]:
    """Take the first event that the machine accepts, of those that may come next; or give why the earliest is none."""
    refused: list[tuple[int, str]] = []
    first: R | None = None
    taken = None
    while taken is None and heads and heads[0][0] <= upto_ns:
        head = heappop(heads)
        refusal = machine.step(queues[head[1]][0])
        if refusal is None:
            queues[head[1]].popleft()
            taken = head
        else:
            first = first or refusal
            refused.append(head)
    for head in refused:
        heappush(heads, head)
    return taken, first


def _queues(events: Iterable[EventRow]) -> dict[str, deque[EventRow]]:
    """The events of each recorder in its own order, and those without a time at the time of the one before."""
    rows: dict[str, list[EventRow]] = defaultdict(list)
    for event in events:
        rows[event["recorder"]].append(event)
    return {name: deque(sorted(said, key=lambda event: int(event["seq"]))) for name, said in rows.items()}


def _time(event: EventRow) -> int:
    time_ns = event.get("time_ns")
    return 0 if time_ns is None else int(time_ns)
