"""Values go to z3 and come back unchanged, NULLs as NULLs; what is no value is an error."""

from __future__ import annotations

from typing import Any

import pytest
import z3

from spec.language.terms import Col, Lookup, Sort
from spec.log.views import Metadata
from spec.proof.proofs import Status, solve
from spec.proof.reading import Reading
from spec.proof.symbols import constant, literal, plain, symbol, within_storage

pytestmark = pytest.mark.z3


@pytest.mark.parametrize(
    ("sort", "value"),
    [
        ("bool", True),
        ("bool", False),
        ("int", -(2**70)),
        ("int", 0),
        ("set", frozenset()),
        ("set", frozenset({0, 66, 69})),
        ("factors", {"rack": 2, "shard": 3}),
        ("factors", {}),
        *[(sort, None) for sort in ("bool", "int", "set", "factors")],
    ],
)
def test_there_and_back(sort: Sort, value: Any) -> None:
    """A constant is its value in every model."""
    solver = z3.Solver()
    assert solver.check() == z3.sat
    assert plain(constant(value, sort, 70), solver.model()) == value


def test_symbols_are_free() -> None:
    """A symbol is no value until a model says so."""
    with pytest.raises(ValueError, match="no literal"):
        literal(symbol("x", "int", 4).value, z3.simplify)


def test_storage_bounds_factors() -> None:
    """A factor has seven bits."""
    factors = symbol("R", "factors", 4).value
    status, model = solve([*within_storage(factors), factors["rack"] > 126], timeout_ms=1000)
    assert status is Status.REFUTED
    assert literal(factors["rack"], model.eval) == 127
    assert solve([*within_storage(factors), factors["rack"] < 0], timeout_ms=1000) == (Status.PROVED, None)


def test_an_undecided_question_is_no_proof() -> None:
    """Giving up is told apart from proving."""
    x, y, z = z3.Ints("x y z")
    status, model = solve([x * x * x + y * y * y + z * z * z == 42, x > 1, y > 1], timeout_ms=1)
    assert (status, model) == (Status.UNDECIDED, None)


def test_a_row_of_no_dimensions_cannot_look_up() -> None:
    """A definition is a formula over its parameters alone."""
    reading = Reading(4, {}, lambda col: symbol(col.name, col.sort, 4))
    with pytest.raises(TypeError, match="cannot be read here"):
        reading.read(Lookup(Metadata, "nodeset", "set", (Col("log", "int"), Col("lsn", "int"))))
