"""Whether something is wrong in a state or a step of the run reading."""

from __future__ import annotations

from spec.explore.lowering import Checked
from spec.language.protocol.running import Move, PackedWorld, Test
from spec.language.protocol.world import World


class Judge:
    """Holds a text's clauses against packed states.

    Attributes:
        world: the text and its sizes.
        machine: packs states and takes steps.
    """

    def __init__(self, world: World, checked: Checked) -> None:
        self.world, self.machine = world, PackedWorld(world)
        clauses = world.protocol.of_kind(checked)
        self._always: list[Test] = [test for clause in clauses for _, test in self.machine.always(clause)]
        values: dict[tuple[str, tuple[int, ...]], int] = {}
        for (name, row), bit in self.machine.bit.items():
            if world.protocol.relations[name].functional:
                values[name, row[:-1]] = values.get((name, row[:-1]), 0) | 1 << bit
        self._values = list(values.values())

    def wrong(self, word: int) -> bool:
        """A checked clause is false."""
        return not all(test(word) for test in self._always)

    def defective(self, move: Move, word: int, then: int) -> bool:
        """A step happens where what it assumes is false, or gives a partial function two values."""
        if not all(test(word) for test in move.assumed):
            return True
        return any((then & values).bit_count() > 1 for values in self._values)
