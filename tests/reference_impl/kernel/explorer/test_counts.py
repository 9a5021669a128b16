"""The counts of reachable states, each agreed on by several tools that share no code.

Justification: recovery (nodes, replication, slots, recoveries) as counted by TLC, by a hand-written bit model and by
plain dataclasses; two-phase commit as counted by TLC, SPIN and Stateright (see benchmarks).
"""

import pytest

from reference_impl.kernel.explorer.result import Result, estimate
from reference_impl.kernel.explorer.search import Search, explore
from reference_impl.kernel.explorer.watch import Watch
from spec.explore.layout import Layout
from spec.explore.lowering import Lowering
from spec.explore.symmetry import Asked
from spec.language.protocol import World, action, require
from spec.protocols.recovery import cluster
from spec.protocols.sorts import Node
from spec.protocols.two_phase import Manager, transaction
from tests.support.explored import (
    Colour,
    Counting,
    Gossip,
    Painting,
    Person,
    Place,
    Storing,
    Team,
    Voting,
    across,
    pairs,
    reachable,
    renamings,
)


def counted(world: World, symmetry: Asked = ()) -> tuple[int, int]:
    """States and transitions of a search that ended by itself."""
    result = explore(world, symmetry=symmetry, engine="numpy")
    assert result.complete
    return result.distinct, result.transitions


@pytest.mark.parametrize(
    ("bounds", "states", "canonical"),
    [((3, 2, 1, 1), 2_840, 578), ((3, 2, 1, 2), 727_616, 124_464), ((3, 2, 2, 1), 277_896, 48_526)],
)
def test_recovery(bounds: tuple[int, int, int, int], states: int, canonical: int) -> None:
    """Every state, and one for all that differ by exchanging nodes."""
    assert counted(cluster(*bounds))[0] == states
    assert counted(cluster(*bounds), symmetry=True)[0] == counted(cluster(*bounds), [Node])[0] == canonical


def test_transitions_leave_out_stutters() -> None:
    """Steps that leave the state as it is are none."""
    assert counted(cluster(3, 2, 1, 2)) == (727_616, 3_715_280)


@pytest.mark.parametrize(("bounds", "canonical"), [((4, 2, 1, 2), 1_887_414), ((4, 2, 2, 1), 666_498)])
def test_recovery_on_four_nodes(bounds: tuple[int, int, int, int], canonical: int) -> None:
    """Sorting four fields."""
    assert counted(cluster(*bounds), symmetry=True)[0] == canonical


@pytest.mark.thorough
@pytest.mark.costly("42 million states")
def test_recovery_on_four_nodes_without_symmetry() -> None:
    """Tens of millions of states, and of these at most one of 24 is canonical."""
    assert counted(cluster(4, 2, 1, 2))[0] == 42_479_360


@pytest.mark.thorough
@pytest.mark.costly("ten million states, each held against seven others")
def test_recovery_on_racks() -> None:
    """Nodes inside racks, then racks: of 74,949,632 states, as a hand-written model counts them, an eighth and some."""
    assert counted(cluster(4, 2, 1, 2, racks=2), symmetry=True)[0] == 9_618_238


@pytest.mark.parametrize(("managers", "states"), [(7, 296_448), (8, 1_745_408)])
def test_two_phase_commit(managers: int, states: int) -> None:
    """The protocol on which explorers are compared."""
    assert counted(transaction(managers))[0] == states


@pytest.mark.slow
def test_two_phase_commit_of_nine() -> None:
    """Ten million states."""
    assert counted(transaction(9))[0] == 10_340_352


@pytest.mark.parametrize(
    "world",
    [
        cluster(3, 2, 1, 1),
        cluster(3, 2, 0, 1, payloads=2),
        cluster(2, 2, 1, 1, payloads=2),
        transaction(3),
        World(Gossip, {Person: 3}),
        World(Painting, {Person: 3, Colour: 2}),
        World(Voting, {Person: 3}, {Team: pairs(3)}),
        World(Voting, {Person: 4}, {Team: across(2, 2)}),
        World(Storing, {Person: 4, Place: 2}, {Team: across(2, 2)}),
        World(Storing, {Person: 5, Place: 1}, {Team: across(2, 2, 1)}),
        World(Storing, {Person: 4, Place: 2}, {Team: [frozenset({0, 1})]}),
    ],
    ids=lambda world: f"{world.protocol.__name__} {[*world.sizes.values()]}",
)
@pytest.mark.parametrize("word_bits", [64, 7, 2])
def test_canonical_states_are_orbits(world: World, word_bits: int) -> None:
    """As many as there are classes of states that a permutation of equals carries into each other, by brute force."""
    maps = renamings(world)
    states = set(reachable(world))
    orbits = {frozenset(rename(state) for rename in maps) for state in states}
    assert len(maps) > 1
    layout = Layout(Lowering(world, "invariant"), asked=True, word_bits=word_bits)
    result = Search(layout).run("numpy", Watch())
    assert (result.distinct, result.permutations) == (len(orbits), len(maps))
    assert explore(world, engine="numpy", checked="invariant").distinct == len(states)


@pytest.mark.parametrize("word_bits", [30, 12, 5])
@pytest.mark.parametrize("symmetry", [False, True])
def test_several_words_count_as_one(word_bits: int, symmetry: bool) -> None:
    """A state of two to seven words is the same state."""
    layout = Layout(Lowering(cluster(3, 2, 1, 2)), symmetry, word_bits)
    assert layout.words == {30: 2, 12: 3, 5: 7}[word_bits]
    result: Result = Search(layout).run("numpy", Watch())
    expected = (124_464, 634_403) if symmetry else (727_616, 3_715_280)
    assert (result.distinct, result.transitions, result.depth) == (*expected, 25)


def test_more_bits_than_a_word_has() -> None:
    """Two that count to forty: pairs of numbers, and with symmetry pairs in order."""
    world = World(Counting, {Person: 2, Place: 40})
    assert counted(world) == (41 * 41, 2 * 40 * 41)
    assert counted(world, symmetry=True)[0] == 41 * 42 // 2


def test_many_managers_with_symmetry() -> None:
    """Fields of five bits in two words, sorted across the words: counted by a formula that brute force confirms."""
    few, many = transaction(4), transaction(13)
    states = {frozenset(rename(state) for rename in renamings(few)) for state in reachable(few)}
    assert counted(few, [Manager])[0] == multisets(4) == len(states)
    assert Layout(Lowering(many), True).bits > 64
    assert counted(many, symmetry=True)[0] == multisets(13)


def multisets(managers: int) -> int:
    """States of two-phase commit up to exchange, counted by what one manager can be in at each decision."""
    total = 0
    for kinds in (UNDECIDED, ABORTED):
        total += ways(managers, len(kinds))
    return total + ways(managers, len(COMMITTED))


UNDECIDED = ("working", "gave up", "prepared", "prepared and heard")
ABORTED = ("working", "gave up", "prepared", "prepared and heard", "aborted after prepare", "aborted after heard")
COMMITTED = ("heard", "committed")


def ways(things: int, kinds: int) -> int:
    """Multisets of so many things of so many kinds."""
    found = 1
    for number in range(things):
        found = found * (kinds + number) // (number + 1)
    return found


def test_the_estimate_continues_a_parabola() -> None:
    """Levels whose logarithms fall off evenly are guessed well past the bulge; too few levels are not guessed at."""
    levels = [round(1000 * 2 ** (-((depth - 8) ** 2) / 6)) + 1 for depth in range(24)]
    guess = estimate(levels[:13])
    assert guess is not None
    assert abs(guess - sum(levels)) < 0.2 * sum(levels)
    assert estimate(levels[:3]) is None
    assert estimate([1, 2, 4, 8, 16]) is None
    assert estimate([10**12, 2 * 10**12, 4 * 10**12, 8 * 10**12 - 1]) is None


def test_a_world_in_which_nothing_can_happen() -> None:
    """Only the start, whatever is asked."""
    still = World(Still, {Person: 2}, {Team: pairs(2)})
    for engine in ("run", "numpy"):
        result = explore(still, engine="run" if engine == "run" else "numpy")
        assert (result.distinct, result.transitions, result.depth, result.complete) == (1, 0, 0, True)
    assert explore(still, engine="numpy", symmetry=True).distinct == 1


class Still(Voting):
    """Nobody ever comes."""

    @action
    def come(self, person: Person) -> None:
        """Nobody comes.

        Invented.
        """
        require(self.present(person))
        self.present.add(person)
