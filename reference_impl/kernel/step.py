"""Steps: what a protocol's pure functions take and give.

A step is ``handle(state, message, moment, context) -> (state, effects) | None``. None means that the message is not
enabled in this state: nothing happens. A refusal that somebody is told of is an ordinary message, with a name. Effects
are data; only the simulator carries them out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias, TypeVar

S = TypeVar("S")

Address: TypeAlias = tuple[str, int, int]
"""A role, and two numbers that say whose: for example of which partition, and which member or client."""

Event: TypeAlias = dict[str, Any]
"""One recorded event, by column of the trace."""


class Moment(NamedTuple):
    """When a step happens.

    Attributes:
        now_ns: the virtual clock.
        order: the number that the entity's recorder gives to the first event of this step.
    """

    now_ns: int
    order: int


class Send(NamedTuple):
    """Send a message through the network, which may delay, repeat or lose it."""

    to: Address
    message: Any


class After(NamedTuple):
    """Give this entity a message of its own after a while: a timer."""

    delay_ns: int
    message: Any


class Note(NamedTuple):
    """Record an event; the simulator adds recorder, order and time."""

    event: Event


Effect: TypeAlias = Send | After | Note

Stepped: TypeAlias = tuple[S, tuple[Effect, ...]] | None
"""The next state and what is to be done; None where the step is not enabled."""

Handlers: TypeAlias = Mapping[type, Callable[[Any, Any, Moment, Any], Stepped[Any]]]
"""What an entity does, by class of message."""


def step(handlers: Handlers, state: S, message: Any, moment: Moment, context: Any) -> Stepped[S]:
    """Take one step; None where the entity does not understand the message, or it is not enabled."""
    handle = handlers.get(type(message))
    return None if handle is None else handle(state, message, moment, context)
