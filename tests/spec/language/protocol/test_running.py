"""The run reading says what the meaning says, step by step, on the texts and on every mutant of them.

The counts of recovery are those of two older, hand-written models of it and of TLC.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from spec.language.protocol import World
from spec.language.protocol.meaning import after, broken, true
from spec.language.protocol.mutants import without_one_guard
from spec.language.protocol.running import Joined, Machine, join
from spec.protocols.registry import TEXTS

SMALL = {name: text.small() for name, text in TEXTS.items()}
VARIANTS = {f"{name} {variant}": text.small(variant) for name, text in TEXTS.items() for variant in text.variants}
MUTANTS = {
    f"{name}: {mutant}": replace(world, protocol=mutant.protocol)
    for name, world in SMALL.items()
    for mutant in without_one_guard(world.protocol)
}


def wander(machine: Machine, steps: int, seed: int) -> Iterator[int]:
    """Packed states on a random way from the start."""
    choose, word = random.Random(seed), 0
    for _ in range(steps):
        yield word
        ways = [there for _, there in machine.successors(word) if there != word]
        word = choose.choice(ways) if ways else 0


def agrees(world: World, steps: int, seed: int = 1) -> None:
    """On a random way, every step and every formula is the same in both readings."""
    machine = Machine(world)
    moves = {move.step: move for move in machine.moves}
    for word in wander(machine, steps, seed):
        state = machine.unpack(word)
        assert machine.pack(state) == word
        for step in world.steps:
            there = after(world, state, step, strict=False)
            move = moves.get(step)
            assert (move is not None and move.enabled(word)) == (there is not None), str(step)
            if move is not None and there is not None:
                assert move.apply(word) == machine.pack(there), str(step)
                values = dict(enumerate(step.args))
                said = [true(fact, world, state, values) for fact in step.action.assumes]
                assert [test(word) for test in move.assumed] == said
        for clause in (*world.protocol.of_kind("invariant"), *world.protocol.of_kind("goal")):
            found = [row for row, holds in machine.always(clause) if not holds(word)]
            assert (found[0] if found else None) == broken(world, state, clause), clause.name


@pytest.mark.parametrize("name", SMALL)
def test_the_text_runs_as_it_means(name: str) -> None:
    agrees(SMALL[name], steps=25)


@pytest.mark.parametrize("name", [*VARIANTS, *MUTANTS])
def test_wrong_forms_run_as_they_mean(name: str) -> None:
    """A literal that stands for nothing hid in an earlier reading until a mutant showed it."""
    agrees((VARIANTS | MUTANTS)[name], steps=8)


def reached(world: World) -> int:
    """How many states there are."""
    machine = Machine(world)
    seen, waiting = {0}, [0]
    while waiting:
        for _, there in machine.successors(waiting.pop()):
            if there not in seen:
                seen.add(there)
                waiting.append(there)
    return len(seen)


def test_recovery_has_the_states_that_hand_written_models_have() -> None:
    assert reached(TEXTS["recovery"].small(nodes=3, replication=2, slots=1, recoveries=1)) == 2_840


def test_two_phase_commit_has_the_states_that_its_authors_text_has() -> None:
    """Gray and Lamport's text: 288, 1,568 and 8,832 states for 3, 4 and 5 managers."""
    assert [reached(TEXTS["two_phase"].small(managers=n)) for n in (3, 4, 5)] == [288, 1_568, 8_832]


def test_conjunctions_fold_what_is_certain() -> None:
    one, other = Joined("all", ones=1), Joined("all", ones=2)
    assert join("all", [one, False]) is False
    assert join("any", [one, True]) is True
    assert join("all", [one, one.negated()]) is False
    assert join("any", [one, one.negated()]) is True
    assert join("all", [True, one, other]) == Joined("all", ones=3)
    assert join("all", []) is True
    assert join("any", []) is False
