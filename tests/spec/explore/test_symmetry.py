"""Symmetry is found, not declared: what may be exchanged is what no family of the world can tell apart.

Justification: an unordered sort's unnamed elements occur in formulas only through relations and families; so every
permutation that keeps the families maps runs to runs (Ip and Dill, Better verification through symmetry).
"""

from collections import Counter
from itertools import permutations

import pytest

from spec.explore.changes import nested, plain_changes, sorting_network
from spec.explore.layout import Layout
from spec.explore.lowering import Lowering
from spec.explore.symmetry import NoSymmetry, blocks, group, image, symmetries
from spec.language.protocol import Family, Sort, World
from spec.protocols.recovery import cluster
from spec.protocols.sorts import Copyset, Node, Slot, Value
from tests.support.explored import Colour, Gossip, Painting, Person, Place, Storing, Team, across, pairs


def storing(count: int, teams: list[frozenset[int]]) -> World:
    return World(Storing, sizes={Person: count, Place: 1}, families={Team: teams})


def keeping(world: World, sort: type[Sort]) -> set[tuple[int, ...]]:
    """By brute force: every permutation that keeps all families."""
    families = [sets for family, sets in world.families.items() if family.element is sort]
    size = len(world.elements(sort))
    maps = (dict(enumerate(order)) for order in permutations(range(size)))
    kept = (one for one in maps if all(Counter(image(m, one) for m in sets) == Counter(sets) for sets in families))
    return {tuple(one[element] for element in range(size)) for one in kept}


@pytest.mark.parametrize(
    ("count", "teams", "order"),
    [
        (3, pairs(3), 6),
        (4, across(2, 2), 8),
        (5, across(2, 2, 1), 8),
        (6, across(2, 2, 2), 48),
        (6, across(3, 3), 72),
        (5, across(3, 2), 12),
        (4, [frozenset({0, 1})], 4),
        (3, [frozenset({0}), frozenset({0, 1})], 1),
        (2, [frozenset({0}), frozenset({1}), frozenset({1})], 1),
        (2, [frozenset({0}), frozenset({1})] * 2, 2),
    ],
)
def test_nodes_in_racks_then_racks(count: int, teams: list[frozenset[int]], order: int) -> None:
    """Flat clusters, racks of any sizes, sets that stand twice: exactly the permutations that keep the families."""
    world = storing(count, teams)
    (found,) = symmetries(world, [Person]) or (None,)
    maps = [{}] if found is None else list(group(found))
    derived = {tuple(one.get(element, element) for element in range(count)) for one in maps}
    assert len(derived) == order
    assert derived == keeping(world, Person)


def test_regions_of_racks_of_nodes() -> None:
    """Blocks of blocks of blocks, to any depth."""
    place = [(node // 4, node // 2) for node in range(8)]
    teams = [two for two in pairs(8) if len({place[node][0] for node in two}) > 1]
    teams += [two for two in pairs(8) if len({place[node][1] for node in two}) == 1]
    assert blocks(storing(8, teams), Person) == [(((0, 1), (2, 3)), ((4, 5), (6, 7)))]


def test_a_rotation_alone_is_not_used() -> None:
    """Three teams in a ring with a direction: no swap keeps them, so nothing is exchanged; never too much is."""
    ring = [frozenset(team) for team in ({0, 1, 3}, {1, 2, 4}, {2, 0, 5}, {3, 0}, {4, 1}, {5, 2})]
    world = storing(6, ring)
    assert len(keeping(world, Person)) == 3
    assert symmetries(world, [Person]) == ()


def test_names_and_orders_stay() -> None:
    """Named elements and elements of orders are told apart by the text itself."""
    world = cluster(3, 2, 1, 1, payloads=2)
    assert {one.sort: one.blocks for one in symmetries(world, asked=True)} == {Node: ((0, 1, 2),), Value: ((2, 3),)}


@pytest.mark.parametrize("sort", [Slot, Copyset, Colour])
def test_sorts_without_symmetry_are_refused(sort: type[Sort] | type[Family[Node]]) -> None:
    """An order, a family, a sort of another text: asked for by name, each is a mistake."""
    with pytest.raises(NoSymmetry, match=sort.__name__):
        symmetries(cluster(3, 2, 1, 1), [sort])


def test_too_many_permutations_are_refused() -> None:
    """Rows that relate equals to each other cannot be sorted; beyond a bound the permutations are not tried."""
    world = World(Gossip, sizes={Person: 7})
    with pytest.raises(NoSymmetry, match="5040"):
        Layout(Lowering(world), True)
    assert Layout(Lowering(world), False).bits == 49


def test_only_what_sorting_cannot_do_is_tried() -> None:
    """Of two sorts in one row the larger is sorted and the other one tried."""
    layout = Layout(Lowering(World(Painting, sizes={Person: 4, Colour: 3})), True)
    assert (len(layout.sorted), len(layout.order), layout.permutations) == (1, 5, 144)


@pytest.mark.parametrize("count", range(1, 9))
def test_sorting_networks_sort(count: int) -> None:
    """By the zero-one principle: what sorts all zeros and ones sorts everything (Knuth, 5.3.4, theorem Z)."""
    for bits in range(1 << count):
        things = [bits >> place & 1 for place in range(count)]
        for low, high in sorting_network(count):
            things[low], things[high] = min(things[low], things[high]), max(things[low], things[high])
        assert things == sorted(things)


@pytest.mark.parametrize("count", range(6))
def test_plain_changes_show_every_arrangement(count: int) -> None:
    """Each arrangement once, by swaps of neighbours."""
    things = list(range(count))
    seen = [tuple(things)]
    for place in plain_changes(count):
        things[place], things[place + 1] = things[place + 1], things[place]
        seen.append(tuple(things))
    assert sorted(seen) == sorted(permutations(range(count)))


def test_nested_walks_show_every_combination() -> None:
    """Two walks inside each other: every pair of arrangements once."""
    left, right = [0, 1, 2], [0, 1, 2]
    seen = [(tuple(left), tuple(right))]
    for which, place in nested([[(0, at) for at in plain_changes(3)], [(1, at) for at in plain_changes(3)]]):
        things = (left, right)[which]
        things[place], things[place + 1] = things[place + 1], things[place]
        seen.append((tuple(left), tuple(right)))
    assert len(seen) == len(set(seen)) == 36
