"""What is open may still become anything; what is settled may not: Kleene's strong logic, over rows cut off by a block.

The yardstick is ``spec.language.meaning``: an operation is settled when all that its open operands may become gives
one answer, and open otherwise.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any, Final

import numpy as np
import pytest

from spec.columns.column import Bound, Column
from spec.columns.terms import COMPARISONS, Evaluator
from spec.language import meaning
from spec.language.handles import Int
from spec.language.parameters import Parameters
from spec.language.terms import Col, Field, Op, Sort, Term, leaves

OPEN: Final = "open"
BOUNDED: Final = [(word, value) for word in ("falls", "rises") for value in (0, 1, 2)]
"""Numbers that are open, and will be known to be no more than this, or no less."""
MAY_BECOME: Final[dict[Sort, tuple[Any, ...]]] = {"bool": (True, False, None), "int": (0, 1, 2, None)}
A, B, C = (Col(name, "bool") for name in "abc")
X, Y = Col("x", "int"), Col("y", "int")
TERMS: Final[list[Term]] = [
    Op("and", (A, B)),
    Op("or", (A, B)),
    Op("not", (A,)),
    Op("implies", (A, B)),
    Op("known", (A,)),
    Op("=", (X, Y)),
    Op("<", (X, Y)),
    Op("is", (X, Y)),
    Op("known", (Op("when", (X, A)),)),
    Op("=", (Op("when", (X, A)), Y)),
    Op("=", (Op("when", (X, A)), Op("when", (Y, B)))),
    Op("and", (Op("known", (X,)), Op("<", (Y, X)))),
    Op("implies", (Op("and", (A, Op("not", (B,)))), Op("or", (C, Op("is", (X, Y)))))),
]


COMPARED: Final[list[Term]] = [
    *(Op(name, (X, Y)) for name in ("<", "<=", ">", ">=", "=", "is")),
    Op("known", (X,)),
    Op("known", (Op("when", (X, A)),)),
    Op("<=", (Op("when", (X, A)), Y)),
    Op(">", (Y, Op("when", (X, Op("<", (X, Y)))))),
    Op("implies", (Op("known", (X,)), Op("and", (A, Op("<", (Y, X)))))),
    (Int(X).not_after(Int(Y))).term,
    (Int(X) - Int(Y) < 1).term,
]


class Given(Evaluator):
    """Columns by name."""

    def __init__(self, columns: dict[str, Column]) -> None:
        super().__init__(Parameters(), max(column.value.shape[-1] for column in columns.values()))
        self.columns = columns

    def leaf(self, term: Field | Col) -> Column:
        return self.columns[term.name]


def columns_of(term: Term) -> list[Col]:
    read = set(leaves(term, Col))
    return [col for col in (A, B, C, X, Y) if col in read]


def column(said: list[Any], sort: Sort) -> Column:
    values = [MAY_BECOME[sort][0] if value in (None, OPEN) else value for value in said]
    known = np.array([value not in (None, OPEN) for value in said])
    return Column(np.array(values), known, np.array([value == OPEN for value in said]))


def completions(row: tuple[Any, ...], cols: list[Col]) -> Iterator[dict[str, Any]]:
    """All that a row may become."""
    choices = [MAY_BECOME[col.sort] if value == OPEN else (value,) for value, col in zip(row, cols, strict=True)]
    return ({col.name: value for col, value in zip(cols, chosen, strict=True)} for chosen in product(*choices))


@pytest.mark.parametrize("term", TERMS, ids=str)
def test_open_until_it_makes_no_difference(term: Term) -> None:
    """Known and NULL are final; open is only what may still turn out in more than one way, or cannot be told to."""
    cols = columns_of(term)
    rows = list(product(*((*MAY_BECOME[col.sort], OPEN) for col in cols)))
    evaluator = Given({col.name: column([row[at] for row in rows], col.sort) for at, col in enumerate(cols)})
    said = evaluator.value(term)
    for at, row in enumerate(rows):
        may = {meaning.Evaluator(of, Parameters(), {}).value(term) for of in completions(row, cols)}
        is_known = said.known is None or bool(said.known[at])
        is_open = said.open is not None and bool(said.open[at])
        assert not (is_known and is_open), row
        assert is_open or may == {bool(said.value[at]) if is_known else None}, row
        if OPEN not in row:
            assert not is_open


@pytest.mark.parametrize("term", TERMS[:9], ids=str)
def test_one_operation_is_open_only_if_it_must_be(term: Term) -> None:
    """A single word waits for nothing that cannot change it, nor for what is asked only where a condition is true."""
    cols = columns_of(term)
    rows = list(product(*((*MAY_BECOME[col.sort], OPEN) for col in cols)))
    evaluator = Given({col.name: column([row[at] for row in rows], col.sort) for at, col in enumerate(cols)})
    said = evaluator.value(term)
    assert said.open is not None
    for at, row in enumerate(rows):
        may = {meaning.Evaluator(of, Parameters(), {}).value(term) for of in completions(row, cols)}
        assert bool(said.open[at]) == (len(may) > 1), row


def bounded_column(said: list[Any], sort: Sort, word: str) -> Column:
    """A column whose bounded numbers all fall, or all rise."""
    whole = column([OPEN if isinstance(value, tuple) else value for value in said], sort)
    there = np.array([isinstance(value, tuple) for value in said])
    value = np.array(
        [value[1] if isinstance(value, tuple) else plain for value, plain in zip(said, whole.value, strict=True)]
    )
    return whole._replace(value=value, bound=Bound(there, falls=word == "falls"))


def ends_of(said: Any, sort: Sort) -> tuple[Any, ...]:
    """All that a value may become."""
    match said:
        case ("falls", value):
            return tuple(range(-2, value + 1))
        case ("rises", value):
            return tuple(range(value, 5))
        case "open":
            return (*MAY_BECOME[sort], *((-2, 4) if sort == "int" else ()))
        case _:
            return (said,)


@pytest.mark.parametrize("other", ["falls", "rises"])
@pytest.mark.parametrize("word", ["falls", "rises"])
@pytest.mark.parametrize("term", COMPARED, ids=str)
def test_a_bound_settles_what_it_can(term: Term, word: str, other: str) -> None:
    """What may only fall, or rise, is settled where that makes no difference; one comparison is, wherever it can be."""
    cols, words = columns_of(term), {X: word, Y: other}
    choices = [[*MAY_BECOME[col.sort], OPEN, *(one for one in BOUNDED if one[0] == words.get(col))] for col in cols]
    rows = list(product(*choices))
    evaluator = Given(
        {
            col.name: bounded_column([row[at] for row in rows], col.sort, words.get(col, ""))
            for at, col in enumerate(cols)
        }
    )
    said = evaluator.value(term)
    for at, row in enumerate(rows):
        ends = product(*(ends_of(value, col.sort) for value, col in zip(row, cols, strict=True)))
        worlds = [{col.name: value for col, value in zip(cols, chosen, strict=True)} for chosen in ends]
        may = {meaning.Evaluator(of, Parameters(), {}).value(term) for of in worlds}
        is_known = said.known is None or bool(said.known[at])
        is_open = said.open is not None and bool(said.open[at])
        assert not (is_known and is_open), row
        assert is_open or may == {bool(said.value[at]) if is_known else None}, row
        if isinstance(term, Op) and term.name in COMPARISONS and set(term.args) == {X, Y}:
            assert is_open == (len(may) > 1), row
