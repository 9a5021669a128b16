"""The run reading, in both its forms, says what the meaning says, step by step, on the texts and on every mutant.

The counts of recovery are those of two older, hand-written models of it and of TLC.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

import pytest

from spec.language.protocol import Protocol, World
from spec.language.protocol.clauses import Clause
from spec.language.protocol.meaning import after, broken, true
from spec.language.protocol.mutants import without_one_guard
from spec.language.protocol.running import Joined, Move, PackedWorld, Test, join
from spec.language.protocol.states import Row, Step
from spec.language.protocol.stepping import stepping
from spec.protocols.registry import TEXTS

pytestmark = pytest.mark.together("running")

SMALL = {name: text.small() for name, text in TEXTS.items()}
VARIANTS = [(name, variant) for name, text in TEXTS.items() for variant in text.variants]
MUTANTS = {
    f"{name}: {mutant}": (name, mutant) for name, text in TEXTS.items() for mutant in without_one_guard(text.protocol)
}


@cache
def machine_of(name: str) -> PackedWorld:
    """A text in its small world."""
    return PackedWorld(SMALL[name])


@cache
def claims_of(name: str) -> dict[str, list[tuple[Row, Test]]]:
    """What a text claims of every state."""
    machine = machine_of(name)
    return {clause.name: machine.always(clause) for clause in claims(machine.world.protocol)}


def claims(text: type[Protocol]) -> list[Clause]:
    """The invariants and goals of a text."""
    return [*text.of_kind("invariant"), *text.of_kind("goal")]


def wander(moves: Sequence[Move], steps: int, seed: int = 1) -> Iterator[int]:
    """Packed states on a random way from the start."""
    choose, word = random.Random(seed), 0
    for _ in range(steps):
        yield word
        ways = [there for move in moves if move.enabled(word) and (there := move.apply(word)) != word]
        word = choose.choice(ways) if ways else 0


def steps_agree(machine: PackedWorld, moves: Mapping[Step, Move], words: Iterable[int], steps: Sequence[Step]) -> None:
    """In these states, these steps are the same in all readings."""
    world, steps_of = machine.world, stepping(machine.world.protocol)
    for word in words:
        state = machine.unpack(word)
        assert machine.pack(state) == word
        for step in steps:
            there = after(world, state, step, strict=False)
            assert steps_of.after(world, state, step, strict=False) == there, str(step)
            move = moves.get(step)
            assert (move is not None and move.enabled(word)) == (there is not None), str(step)
            if move is not None and there is not None:
                assert move.apply(word) == machine.pack(there), str(step)
                values = dict(enumerate(step.args))
                said = [true(fact, world, state, values) for fact in step.action.assumes]
                assert [test(word) for test in move.assumed] == said


def claims_agree(machine: PackedWorld, claims: Mapping[str, list[tuple[Row, Test]]], word: int) -> None:
    """In this state, every claim of a text is true, or false of the same elements, in both readings."""
    for name, tests in claims.items():
        found = [row for row, holds in tests if not holds(word)]
        clause = machine.world.protocol.clauses[name]
        assert (found[0] if found else None) == broken(machine.world, machine.unpack(word), clause), name


@pytest.mark.parametrize("name", SMALL)
def test_the_text_runs_as_it_means(name: str) -> None:
    machine = machine_of(name)
    words = [*wander(machine.moves, 25)]
    steps_agree(machine, {move.step: move for move in machine.moves}, words, machine.world.steps)
    for word in words:
        claims_agree(machine, claims_of(name), word)


@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_wrong_forms_run_as_they_mean(name: str, variant: str) -> None:
    """In the last state also what a form claims otherwise than its text."""
    machine, text = PackedWorld(TEXTS[name].small(variant)), TEXTS[name].protocol
    form, words = machine.world.protocol, [*wander(machine.moves, 8)]
    steps_agree(machine, {move.step: move for move in machine.moves}, words, machine.world.steps)
    same = () if form.definitions != text.definitions else claims(text)
    claimed = {clause.name: machine.always(clause) for clause in claims(form) if clause not in same}
    claims_agree(machine, claimed, words[-1])


@pytest.mark.parametrize("which", MUTANTS)
def test_texts_without_a_guard_run_as_they_mean(which: str) -> None:
    """A literal that stands for nothing hid in an earlier reading until a mutant showed it.

    The action that lacks the guard is asked about, and what the text claims of the last state; all else is the text's.
    """
    name, mutant = MUTANTS[which]
    text, machine = machine_of(name), PackedWorld(replace(SMALL[name], protocol=mutant.protocol))
    weaker = [step for step in machine.world.steps if step.action.name == mutant.action]
    moves = {move.step: move for step in weaker if (move := machine.move(step)) is not None}
    others = [move for move in text.moves if move.step.action.name != mutant.action]
    words = [*wander([*moves.values(), *others], 8)]
    steps_agree(machine, moves, words, weaker)
    claims_agree(text, claims_of(name), words[-1])


def reached(world: World) -> int:
    """How many states there are."""
    machine = PackedWorld(world)
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
