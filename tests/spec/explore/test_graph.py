"""Formulas are shared and folded without changing what they say.

Justification: the graph is an exact normal form of nothing; each simplification is a law of Boolean algebra, and the
truth of random formulas over few rows can be compared by trying every state.
"""

from collections.abc import Callable
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from spec.explore.graph import Formula, Gate, Graph, Key

ROWS: list[Key] = [("row", (number,)) for number in range(4)]

Meaning = Callable[[frozenset[Key]], bool]


def true(said: Formula, there: frozenset[Key]) -> bool:
    """What a formula says of the rows that are there."""
    if isinstance(said, bool):
        return said
    if said.key is not None:
        return (said.key in there) == (said.kind == "bit")
    return (all if said.kind == "and" else any)(true(part, there) for part in said.parts)


trees = st.recursive(
    st.one_of(st.booleans(), st.sampled_from(ROWS)),
    lambda parts: st.tuples(st.sampled_from(["not", "and", "or"]), st.lists(parts, min_size=1, max_size=4)),
    max_leaves=16,
)


def built(graph: Graph, tree: object) -> tuple[Formula, Meaning]:
    """A formula, and independently of the graph what it should say."""
    if isinstance(tree, bool):
        return tree, lambda _: tree
    assert isinstance(tree, tuple)
    if tree in ROWS:
        return graph.bit(tree), lambda there: tree in there
    kind, trees_below = tree
    parts = [built(graph, one) for one in trees_below]
    formulas, meanings = [one for one, _ in parts], [one for _, one in parts]
    if kind == "not":
        return graph.negate(formulas[0]), lambda there: not meanings[0](there)
    fold = all if kind == "and" else any
    return graph.join(kind, formulas), lambda there: fold(one(there) for one in meanings)


@given(trees)
def test_folding_keeps_the_meaning(tree: object) -> None:
    """In all sixteen states of four rows."""
    graph = Graph()
    formula, meaning = built(graph, tree)
    for bits in product([False, True], repeat=len(ROWS)):
        there = frozenset(row for row, bit in zip(ROWS, bits, strict=True) if bit)
        assert true(formula, there) == meaning(there)
        assert true(graph.negate(formula), there) == (not meaning(there))


def test_equal_formulas_are_one_object() -> None:
    """What is shared is computed once."""
    graph = Graph()
    a, b = graph.bit(ROWS[0]), graph.bit(ROWS[1])
    assert graph.all_of(a, b) is graph.all_of(b, a)
    assert graph.negate(graph.negate(a)) is a


def test_what_another_part_decides_folds_away() -> None:
    """Absorption and unit resolution, in both kinds."""
    graph = Graph()
    a, b, c = (graph.bit(row) for row in ROWS[:3])
    assert graph.all_of(a, graph.any_of(a, b)) is a
    assert graph.all_of(a, graph.any_of(graph.negate(a), b)) is graph.all_of(a, b)
    assert graph.any_of(a, graph.all_of(graph.negate(a), b, c)) is graph.any_of(a, graph.all_of(b, c))
    assert graph.all_of(a, graph.negate(a)) is False
    assert graph.any_of(a, graph.negate(a)) is True


def test_a_node_is_never_a_truth_value() -> None:
    """The first row made equals neither False nor True, as a number would."""
    said: list[object] = [Graph().bit(ROWS[0])]
    assert isinstance(said[0], Gate)
    assert False not in said
    assert True not in said
