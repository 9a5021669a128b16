"""The simulator: entities on hosts, one virtual clock, one network, one seed.

One seed gives the same events to the byte: every choice is drawn from generators that the seed makes, and what happens
at one time happens in the order in which it was asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from random import Random
from typing import Any, NamedTuple, TypeAlias

from reference_impl.kernel.mix import mix
from reference_impl.kernel.step import Address, Effect, Event, Handlers, Moment, Note, Send, step
from reference_impl.kernel.weather import Weather

LOCAL_NS = 20_000
"""How long a message takes between two entities on one host."""

UNSENT = 2
"""Of so many steps whose messages are on their way when their host crashes, the messages of one had not left it."""


class Entity:
    """Someone who takes steps.

    Attributes:
        recorder: who writes down what it does.
        host: the number of the host that it runs on, or None for one that never fails.
        survives: what a crash of its host leaves of its state; None keeps all of it.
    """

    __slots__ = ("handlers", "host", "recorder", "state", "survives")

    def __init__(
        self,
        handlers: Handlers,
        state: Any,
        recorder: str,
        host: int | None = None,
        survives: Callable[[Any], Any] | None = None,
    ) -> None:
        self.handlers, self.state, self.recorder, self.host, self.survives = handlers, state, recorder, host, survives


class Transition(NamedTuple):
    """A step that an entity took.

    Attributes:
        to: the entity.
        message: what it was given.
        before: its state before the step.
        after: its state after it.
        effects: what it asked for.
        moment: when it was, where time is told.
    """

    to: Address
    message: Any
    before: Any
    after: Any
    effects: tuple[Effect, ...]
    moment: Moment = Moment(0, 0)


Endpoint: TypeAlias = int | Address
"""Who sends or receives: a host, or the address of an entity that has none."""


class Cut(NamedTuple):
    """A network that lets nothing through in one direction: what the ones send to the others is lost."""

    senders: frozenset[Endpoint]
    receivers: frozenset[Endpoint]


class Simulator:
    """Runs entities until nobody has anything to do.

    Args:
        seed: decides the fate of every message.
        weather: what the network does.
        context: what all entities of the protocol share, a frozen value; the environment may replace it.
        is_news: whether an event is worth writing down.

    Attributes:
        down: hosts that are not running.
        asleep: hosts that do nothing, and until when.
        slow_ns: how much longer everything takes that a host sends, for hosts that are slow.
        cuts: where the network is cut.
        observer: is told of every step that an entity takes, if it is set.
    """

    def __init__(
        self, seed: int, weather: Weather, context: Any, is_news: Callable[[Event], bool] = lambda _: True
    ) -> None:
        self.context = context
        self.now_ns = 0
        self.entities: dict[Address, Entity] = {}
        self.down: set[int] = set()
        self.asleep: dict[int, int] = {}
        self.slow_ns: dict[int | None, int] = {}
        self.cuts: list[Cut] = []
        self.observer: Callable[[Transition], None] | None = None
        self._seed, self._rng = seed, Random(seed)
        self._weather = weather
        self._is_news = is_news
        self._agenda: list[tuple[int, int, Address | None, Any, int | None, int]] = []
        self._crashed_ns: dict[int | None, int] = {}
        self._asked = 0
        self._recorded: dict[str, int] = {}
        self._out: list[Event] = []

    def at(self, delay_ns: int, to: Address | None, message: Any) -> None:
        """Give an entity a message after a delay; with no address, call the message: the environment acts."""
        self._asked += 1
        heappush(self._agenda, (self.now_ns + delay_ns, self._asked, to, message, None, 0))

    def give(self, to: Address, message: Any) -> None:
        """Let an entity take a step now, whatever its host does: what happens to it, not what somebody sends it."""
        entity = self.entities.get(to)
        if entity is not None:
            self._step(entity, to, message)

    def record(self, recorder: str, event: Event) -> None:
        """Write down an event, in the recorder's own order and at this time, if it is worth it."""
        if not self._is_news(event):
            return
        order = self._recorded.get(recorder, 0) + 1
        self._recorded[recorder] = order
        event["recorder"], event["seq"], event["time_ns"] = recorder, order, self.now_ns
        self._out.append(event)

    def crash(self, host: int) -> None:
        """Stop a host: its entities keep what survives a crash and receive nothing until it is restarted."""
        self.down.add(host)
        self._crashed_ns[host] = self.now_ns
        self.asleep.pop(host, None)
        for entity in self.entities.values():
            if entity.host == host and entity.survives is not None:
                entity.state = entity.survives(entity.state)

    def restart(self, host: int) -> None:
        """Let a host run again."""
        self.down.discard(host)

    def pause(self, host: int, for_ns: int) -> None:
        """Let a host do nothing for a while; what reaches it meanwhile waits."""
        self.asleep[host] = self.now_ns + for_ns

    def run(self, until_ns: int | None = None) -> Iterator[Event]:
        """Everything that is recorded, as it happens, up to a time if there is one."""
        agenda, entities, crashed_ns = self._agenda, self.entities, self._crashed_ns
        while agenda and (until_ns is None or agenda[0][0] <= until_ns):
            self.now_ns, _, to, message, sender, sent_ns = heappop(agenda)
            if to is None:
                message()
            elif sent_ns <= crashed_ns.get(sender, -1) and not mix(self._seed, sent_ns) % UNSENT:
                continue
            elif (entity := entities.get(to)) is not None and self._reaches(entity, to, message):
                self._step(entity, to, message)
            if self._out:
                out, self._out = self._out, []
                yield from out

    def _reaches(self, entity: Entity, to: Address, message: Any) -> bool:
        """Whether the entity's host takes the message now; a host that is asleep gets it on waking."""
        host = entity.host
        if host is None or not (self.down or self.asleep):
            return True
        if host in self.down:
            return False
        wakes_ns = self.asleep.get(host)
        if wakes_ns is None or wakes_ns <= self.now_ns:
            return True
        self.at(wakes_ns - self.now_ns, to, message)
        return False

    def _step(self, entity: Entity, to: Address, message: Any) -> None:
        recorder = entity.recorder
        moment = Moment(self.now_ns, self._recorded.get(recorder, 0) + 1)
        stepped = step(entity.handlers, entity.state, message, moment, self.context)
        if stepped is None:
            return
        before = entity.state
        entity.state, effects = stepped
        if self.observer is not None:
            self.observer(Transition(to, message, before, entity.state, effects, moment))
        for effect in effects:
            if isinstance(effect, Note):
                self.record(recorder, effect.event)
            elif isinstance(effect, Send):
                self._send(entity.host, to, effect.to, effect.message)
            else:
                self.at(effect.delay_ns, to, effect.message)

    def _send(self, host: int | None, sender: Address, to: Address, message: Any) -> None:
        other = self.entities.get(to)
        if other is None:
            return
        if host is not None and other.host == host:
            self.at(LOCAL_NS, to, message)
            return
        now_ns = self.now_ns
        delays = self._weather.delays(self._rng)
        if self.cuts and self._is_cut(sender if host is None else host, to if other.host is None else other.host):
            return
        later_ns = self.slow_ns.get(host, 0) if self.slow_ns else 0
        for delay_ns in delays:
            self._asked += 1
            heappush(self._agenda, (now_ns + delay_ns + later_ns, self._asked, to, message, host, now_ns))

    def _is_cut(self, sender: Endpoint, receiver: Endpoint) -> bool:
        return any(sender in cut.senders and receiver in cut.receivers for cut in self.cuts)
