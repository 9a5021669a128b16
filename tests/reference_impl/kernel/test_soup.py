"""Soups: everything that a lossy, repeating and reordering network lets entities do, and nothing twice.

The numbers are worked out by hand or by a plain search that takes no shortcut.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from reference_impl.kernel.deliveries import Soup, bits
from reference_impl.kernel.numbers import Numbers, frozen
from reference_impl.kernel.simulator import Entity, Transition
from reference_impl.kernel.soup import Explored, explore
from reference_impl.kernel.step import Address, Handlers, Moment, Send, Stepped, step


class Ask(NamedTuple):
    """A question with a number."""

    number: int


class Answer(NamedTuple):
    """The answer to a question."""

    number: int


class Memory(NamedTuple):
    """What an entity remembers: the numbers that it was given, in order."""

    numbers: tuple[int, ...] = ()


ASKER: Address = ("asker", 0, 0)
TELLER: Address = ("teller", 0, 0)
NOBODY: Address = ("nobody", 0, 0)


def ask(memory: Memory, message: Ask, moment: Moment, context: Any) -> Stepped[Memory]:
    """Pass the question on, to somebody who does not exist as well."""
    return memory, (Send(TELLER, Answer(message.number)), Send(NOBODY, message))


def remember(memory: Memory, message: Answer, moment: Moment, context: Any) -> Stepped[Memory]:
    """Add what is told, at most so often as the machine says, and say that it came."""
    if len(memory.numbers) == context:
        return None
    return Memory((*memory.numbers, message.number)), (Send(ASKER, Answer(message.number)),)


HANDLERS: Handlers = {Ask: ask, Answer: remember}


def soup(questions: int, most: int, hosts: tuple[int | None, int | None] = (None, None)) -> Soup:
    """Questions for one entity, which asks another one that remembers only so many answers."""
    entities = {
        ASKER: Entity({Ask: ask}, Memory(), "asker", hosts[0]),
        TELLER: Entity({Answer: remember}, Memory(), "teller", hosts[1]),
    }
    return Soup(entities, (), tuple((ASKER, Ask(number)) for number in range(questions)), most)


def explored(start: Soup, objects_to: int = -1) -> Explored[int]:
    """Everything; the witness counts steps of the teller, up to four, and objects to a number."""

    def follow(witness: int, taken: Transition) -> int | None:
        if taken.to == TELLER and taken.message.number == objects_to:
            return None
        return witness + (taken.to == TELLER)

    return explore(start, 0, follow, 10_000)


def test_a_message_can_arrive_again_and_again() -> None:
    """One question, at most three answers remembered: the soup gives the one answer three times."""
    found = explored(soup(questions=1, most=3))
    assert (found.states, found.transitions, found.depth, found.complete) == (5, 4, 4, True)


def test_an_input_arrives_once() -> None:
    """Each of two questions is asked or not, and then answered at any time: ways through a square of choices."""
    found = explored(soup(questions=2, most=1))
    memories = {0b00: 1, 0b01: 2, 0b10: 2, 0b11: 3}
    assert found.states == sum(memories.values())


def test_on_one_host_nothing_arrives_twice() -> None:
    """Nor is it answered again: what one entity of a host tells another is no affair of the network."""
    found = explored(soup(questions=1, most=3, hosts=(1, 1)))
    assert (found.states, found.depth) == (3, 2)
    assert explored(soup(questions=1, most=3, hosts=(1, 2))).states == 5


def test_the_witness_is_part_of_the_state_and_objects() -> None:
    """The trail is as short as can be, and the witness is as it was before the last step of it."""
    found = explored(soup(questions=2, most=2), objects_to=1)
    assert found.objection is not None
    assert [(one.to, one.message) for one in found.objection.trail] == [(ASKER, Ask(1)), (TELLER, Answer(1))]
    assert found.objection.witness == 0
    assert found.objection.trail[-1].before == Memory()
    assert found.objection.trail[-1].after == Memory((1,))
    assert not found.complete


def test_too_many_states_are_said_to_be_too_many() -> None:
    assert not explore(soup(2, 3), 0, lambda witness, _: witness, 4).complete


def plainly(start: Soup) -> set[tuple[Any, ...]]:
    """Every state of the entities that can be reached, by a search that keeps every soup apart."""
    addresses = list(start.entities)
    begin = (
        tuple(start.entities[one].state for one in addresses),
        frozenset[Any](),
        frozenset(range(len(start.inputs))),
    )
    seen, waiting = {begin}, [begin]
    while waiting:
        states, swims, left = waiting.pop()
        packets = [*((packet, None) for packet in swims), *((start.inputs[number], number) for number in left)]
        for (to, message), number in packets:
            who = addresses.index(to)
            stepped = step(start.entities[to].handlers, states[who], message, Moment(0, 1), start.context)
            if stepped is None:
                continue
            sent = {(one.to, one.message) for one in stepped[1] if isinstance(one, Send) and one.to in addresses}
            after = ((*states[:who], stepped[0], *states[who + 1 :]), swims | sent, left - {number})
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return {states for states, _, _ in seen}


@pytest.mark.parametrize(("questions", "most"), [(1, 1), (1, 3), (2, 2), (3, 2), (3, 3)])
def test_no_shortcut_loses_a_state(questions: int, most: int) -> None:
    """Greater soups stand for smaller ones, and answers come at once: yet all states of all entities are reached."""
    start = soup(questions, most)
    reached = {tuple(entity.state for entity in start.entities.values())}

    def follow(witness: tuple[Any, ...], taken: Transition) -> tuple[Any, ...]:
        now = list(witness)
        now[list(start.entities).index(taken.to)] = taken.after
        reached.add(tuple(now))
        return tuple(now)

    assert explore(start, next(iter(reached)), follow, 100_000).complete
    assert reached == plainly(start)


def test_equal_values_have_one_number() -> None:
    """Maps whatever their order; but messages of different classes differ, also where their fields agree."""
    numbers: Numbers[Any] = Numbers()
    assert numbers.of({1: 2, 3: 4}) == numbers.of({3: 4, 1: 2}) == 0
    assert numbers.of(Ask(1)) != numbers.of(Answer(1))
    assert numbers.of((Ask(1), {1: {2: 3}})) == numbers.of((Ask(1), {1: {2: 3}}))
    assert numbers.values[0] == {1: 2, 3: 4}
    with pytest.raises(TypeError):
        frozen([1])


def test_bits_are_counted_from_the_lowest() -> None:
    assert list(bits(0b1011)) == [0, 1, 3]
