"""What keepers and readers of a counter do, as a protocol text: proved for any number of values and readers."""

from __future__ import annotations

from typing import Final

from spec.language.protocol import *
from spec.protocols.registry import Text


class Value(Order):
    """What a counter may stand at."""


class Reader(Sort):
    """Somebody who is told what the counter stands at."""


class Counting(Protocol):
    """A counter only rises, and readers are told what it stands at."""

    stands: Partial[Value] = says("the counter stands at {0}")
    told: Relation[Reader, Value] = says("{0} was told {1}")

    @action
    def put(self, value: Value) -> None:
        """The keeper raises the counter, or leaves it where it is.

        This example: a counter only rises.
        """
        require(none(self.stands(later) for later in value.after()))
        self.stands.put(value)

    @action
    def tell(self, reader: Reader, value: Value) -> None:
        """A reader is told what the counter stands at.

        This example: readers are told the latest value.
        """
        require(self.stands(value))
        self.told.add(reader, value)

    @invariant
    def told_is_not_ahead(self, reader: Reader, value: Value) -> Bool:
        """Whoever was told a value was told of a counter that stands there, or higher.

        This example: readers are told the latest value, and it only rises.
        """
        return self.told(reader, value).implies(some(self.stands(now) for now in value.onward()))

    @goal
    def nobody_is_ahead(self, reader: Reader, value: Value, now: Value) -> Bool:
        """Nobody was told more than the counter stands at.

        This example: a counter only rises.
        """
        return (self.told(reader, value) & self.stands(now)).implies(value <= now)


def abacus(values: int = 3, readers: int = 2) -> World:
    """A counter with so many values and readers."""
    return World(Counting, sizes={Value: values, Reader: readers})


COUNTING: Final = Text("counting", Counting, abacus, variants={})
"""What a package offers as an entry point of ``quorate.texts``."""
