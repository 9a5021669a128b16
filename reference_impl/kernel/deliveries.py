"""Deliveries: what each message of a soup makes of the entity that it is for, each worked out once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from operator import or_
from typing import Any, Final, Generic, NamedTuple, TypeAlias, TypeVar

from reference_impl.kernel.numbers import Numbers
from reference_impl.kernel.simulator import Entity, Transition
from reference_impl.kernel.step import Address, Moment, Send, step

W = TypeVar("W")

Packet: TypeAlias = tuple[Address, Any]
"""A message and the entity that it is for."""

NOW: Final = Moment(0, 1)

NETWORK, HOST, INPUT = range(3)
"""How a packet comes; from ``INPUT`` on, each input has a number of its own, for there may be equal ones."""


class Soup(NamedTuple):
    """Where an exploration begins.

    Attributes:
        entities: who takes steps; a message to anybody else is lost.
        sent: what swims in the soup from the beginning.
        inputs: what is delivered at most once.
        context: what all entities share.
    """

    entities: Mapping[Address, Entity]
    sent: tuple[Packet, ...]
    inputs: tuple[Packet, ...]
    context: Any


class NumberedState(NamedTuple):
    """A state, in numbers: of each entity, of the packets that can be delivered (a bit for each), of the witness."""

    entities: tuple[int, ...]
    soup: int
    witness: int

    @property
    def but_soup(self) -> tuple[tuple[int, ...], int]:
        """All but the packets."""
        return self.entities, self.witness


class Delivery(NamedTuple):
    """What a packet makes of an entity: its next state, and the packets that it sends."""

    after: int
    sent: int
    taken: Transition


class Deliveries(Generic[W]):
    """What can be delivered at a place. A packet meets each state of its entity once: what comes of it is remembered.

    Args:
        soup: where to begin.
        follow: what becomes of the witness in a step; None: it objects.

    Attributes:
        witnesses: the states of the witness.
    """

    def __init__(self, soup: Soup, follow: Callable[[W, Transition], W | None]) -> None:
        self.witnesses: Numbers[W] = Numbers()
        self._entities, self._context, self._follow = soup.entities, soup.context, follow
        self._who = {address: number for number, address in enumerate(soup.entities)}
        self._states: Numbers[Any] = Numbers()
        self._packets: Numbers[tuple[int, Packet]] = Numbers()
        self._whom: dict[int, int] = {}
        self._once = 0
        self._for = [0] * len(self._who)
        packets = [(NETWORK, packet) for packet in soup.sent]
        packets += [(INPUT + number, packet) for number, packet in enumerate(soup.inputs)]
        self._swims = reduce(or_, (self._bit(comes, packet) for comes, packet in packets if packet[0] in self._who), 0)
        self._delivered: dict[tuple[int, int], Delivery | None] = {}
        self._followed: dict[tuple[int, int, int], int | None] = {}

    def start(self, witness: W) -> NumberedState:
        """The place at which everything begins."""
        states = tuple(self._states.of(entity.state) for entity in self._entities.values())
        return NumberedState(states, self._swims, self.witnesses.of(witness))

    def at(self, place: NumberedState) -> Iterator[tuple[int, NumberedState | None]]:
        """Each packet that changes something, and what comes of it; None: the witness objects."""
        for packet in bits(place.soup):
            who, before = self._meets(packet, place)
            delivery = self._delivery(packet, before)
            if delivery is None:
                continue
            witness = self._witnessed(packet, before, place.witness, delivery.taken)
            if witness is None:
                yield packet, None
                continue
            entities = (*place.entities[:who], delivery.after, *place.entities[who + 1 :])
            soup = place.soup & ~(self._once & 1 << packet) | delivery.sent
            after = NumberedState(entities, soup, witness)
            if after != place:
                yield packet, self._answered(after, self._for[who] | delivery.sent)

    def trail(self, way: Iterable[tuple[NumberedState, int]]) -> tuple[Transition, ...]:
        """The steps that packets make at places; answers that change nothing else are none of them."""
        found = (self._delivery(packet, self._meets(packet, place)[1]) for place, packet in way)
        return tuple(delivery.taken for delivery in found if delivery is not None)

    def _answered(self, place: NumberedState, news: int) -> NumberedState:
        """Let entities answer, to packets that they may not have answered yet, where they stay as they are."""
        soup = place.soup
        todo = soup & news & ~self._once
        while todo:
            packet = (todo & -todo).bit_length() - 1
            todo &= todo - 1
            _, before = self._meets(packet, place)
            delivery = self._delivery(packet, before)
            if delivery is None or delivery.after != before or not delivery.sent & ~soup:
                continue
            if self._witnessed(packet, before, place.witness, delivery.taken) == place.witness:
                todo |= delivery.sent & ~soup & ~self._once
                soup |= delivery.sent
        return place._replace(soup=soup)

    def _meets(self, packet: int, place: NumberedState) -> tuple[int, int]:
        """The entity that a packet is for, and its state at a place."""
        who = self._whom[packet]
        return who, place.entities[who]

    def _delivery(self, packet: int, before: int) -> Delivery | None:
        key = packet, before
        if key not in self._delivered:
            self._delivered[key] = self._deliver(packet, self._states.values[before])
        return self._delivered[key]

    def _deliver(self, packet: int, before: Any) -> Delivery | None:
        to, message = self._packets.values[packet][1]
        stepped = step(self._entities[to].handlers, before, message, NOW, self._context)
        if stepped is None:
            return None
        after, effects = stepped
        sent = 0
        for effect in effects:
            if isinstance(effect, Send) and effect.to in self._who:
                sent |= self._bit(self._between(to, effect.to), (effect.to, effect.message))
        return Delivery(self._states.of(after), sent, Transition(to, message, before, after, effects))

    def _between(self, one: Address, other: Address) -> int:
        host = self._entities[one].host
        return HOST if host is not None and host == self._entities[other].host else NETWORK

    def _bit(self, comes: int, packet: Packet) -> int:
        number, who = self._packets.of((comes, packet)), self._who[packet[0]]
        bit, self._whom[number] = 1 << number, who
        self._for[who] |= bit
        if comes != NETWORK:
            self._once |= bit
        return bit

    def _witnessed(self, packet: int, before: int, witness: int, taken: Transition) -> int | None:
        key = packet, before, witness
        if key not in self._followed:
            now = self.witnesses.values[witness]
            after = self._follow(now, taken)
            self._followed[key] = witness if after is now else None if after is None else self.witnesses.of(after)
        return self._followed[key]


def bits(mask: int) -> Iterator[int]:
    """The places of a mask's ones, lowest first."""
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1
