"""Circles: what came before what, where a broken rule on clients says that something came before itself.

What came before is what one recorder saw first, what clocks show first by more than their bound, and that an append
begins before its record is given (``spec.client.precedence``). Among all events of the clients of the log the shortest
way is looked for from what came first to what came later; the rule closes the circle. L. Lamport, Time, Clocks, and the
Ordering of Events.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any, Final, NamedTuple

import networkx as nx

from conformance.check.ordering import events_of, in_partition, size_of
from conformance.check.sentences import tell
from conformance.check.witness import partition_of
from conformance.trace.header import Header
from conformance.trace.open import Parquet
from conformance.trace.rows import EventRow
from spec.client.bookkeeping.fields import INVOKED
from spec.events import Ack, Deliver, Invoke
from spec.language.events import column, kinds
from spec.language.rule import Rule
from spec.reports.names import names_of

MOST: Final = 200_000
"""Events of a trace in which a circle is looked for."""

WITHIN: Final = 1e-6
"""How long a step within one recorder's order is, beside any other."""

OF_ORDER: Final = "client.append.in_order"
OF_CAUSES: Final = "client.read.after_its_append"
"""The rules that say what came before what."""

LIES_BEFORE: Final = "and yet it lies before that in the log"
IS_GIVEN: Final = "and yet an append begins before its record is given"

Key = tuple[str, int]
"""An event: its recorder, and its place there."""


class Link(NamedTuple):
    """Of two events, each in a sentence, why the first came before the second."""

    one: str
    other: str
    why: str


def circle_of(copy: Parquet, rule: Rule, key: tuple[int, ...]) -> tuple[Link, ...]:
    """The circle that one broken rule shows, from a sorted trace; empty where none can be shown.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with the trace.
    """
    if rule.id not in (OF_ORDER, OF_CAUSES) or size_of(copy) > MOST:
        return ()
    wanted = (number for event in (Ack, Deliver, Invoke) for number in kinds(event))
    asked = in_partition(copy, wanted, partition_of(rule.view, key))
    events = _Events(list(events_of(copy, [asked])), copy.header)
    return next(events.circles(rule.id, key[-1]), ())


@dataclass
class _Events:
    """The appends, acknowledgements and deliveries of one log."""

    every: Sequence[EventRow]
    header: Header

    def __post_init__(self) -> None:
        self.recorders = list(self.header.recorders)
        self.by_key: dict[Key, EventRow] = {(event["recorder"], event["seq"]): event for event in self.every}
        self.acks = {self._lsn(event): event for event in self.every if event["kind"] == Ack.kind}
        self.begun = Counter(event["digest"] for event in self.every if event["kind"] == Invoke.kind)
        self.graph = self._before()

    def circles(self, rule: str, lsn: int) -> Iterator[tuple[Link, ...]]:
        """The circles that a broken rule shows at an LSN."""
        for event in self.every:
            begin = self._begin_of(event)
            if event["kind"] == Invoke.kind or self._lsn(event) != lsn or begin is None:
                continue
            if rule == OF_CAUSES and event["kind"] == Deliver.kind and event[column(Deliver.begun_before)] == 0:
                yield self._circle(event, begin, IS_GIVEN)
            if rule == OF_ORDER and (event["after"] or 0) >= lsn and (ack := self.acks.get(event["after"])) is not None:
                yield self._circle(ack, begin, LIES_BEFORE)

    def _circle(self, first: EventRow, last: EventRow, closing: str) -> tuple[Link, ...]:
        """The shortest way from one event to another, and what closes the circle; empty if there is no way."""
        try:
            way = nx.dijkstra_path(self.graph, _key(first), _key(last))
        except nx.NetworkXNoPath:
            return ()
        links = [(one, other, self.graph.edges[one, other]["why"]) for one, other in pairwise(way)]
        runs = ([*group] for _, group in groupby(links, key=itemgetter(2)))
        steps = [(run[0][0], run[-1][1], run[0][2]) for run in runs]
        closed = [*steps, (_key(last), _key(first), closing)]
        return tuple(Link(self._tell(one), self._tell(other), why) for one, other, why in closed)

    def _before(self) -> Any:
        """What came before what: each event and the next of its recorder, of each other recorder, and of its record."""
        graph = nx.DiGraph()
        own: dict[str, list[EventRow]] = {}
        for event in sorted(self.every, key=_key):
            own.setdefault(event["recorder"], []).append(event)
        for recorder, mine in own.items():
            for one, other in pairwise(mine):
                graph.add_edge(_key(one), _key(other), why=f"by the order of {recorder}", weight=WITHIN)
        timed = {name: [event for event in mine if event["time_ns"] is not None] for name, mine in own.items()}
        times = {name: [event["time_ns"] for event in mine] for name, mine in timed.items()}
        for event in self.every:
            graph.add_node(_key(event))
            begin = self._begin_of(event) if event["kind"] == Deliver.kind else None
            if begin is not None and self._is_clear(event):
                graph.add_edge(_key(begin), _key(event), why="it was given to a reader", weight=1)
            if event["time_ns"] is None:
                continue
            for name in own.keys() - {event["recorder"]}:
                at = bisect_right(times[name], event["time_ns"] + self.header.clock_bound_ns)
                if at < len(times[name]):
                    graph.add_edge(_key(event), _key(timed[name][at]), why="by clocks", weight=1)
        return graph

    def _is_clear(self, given: EventRow) -> bool:
        """Whether it is told which append a delivery is of: one that is acknowledged there, or that alone has it."""
        ack = self.acks.get(self._lsn(given))
        return self.begun[given["digest"]] == 1 if ack is None else bool(ack["digest"] == given["digest"])

    def _begin_of(self, event: EventRow) -> EventRow | None:
        invoker, seq = event["invoker"], event[INVOKED]
        if invoker is None or seq is None or not 0 <= invoker < len(self.recorders):
            return None
        return self.by_key.get((self.recorders[invoker], seq))

    def _lsn(self, event: EventRow) -> int:
        return int(event.get("epoch", 0) << self.header.low_bits) + int(event.get("esn", 0))

    def _tell(self, key: Key) -> str:
        return tell(self.by_key[key], names_of(self.header), self.header.family.story)


def _key(event: EventRow) -> Key:
    return event["recorder"], event["seq"]


def as_text(circle: Sequence[Link]) -> Iterator[str]:
    """The circle as lines for people."""
    if circle:
        yield "The order goes in a circle:"
    for link in circle:
        yield f"  {link.one}"
        yield f"    | {link.why}"
    if circle:
        yield f"  {circle[0].one}"
