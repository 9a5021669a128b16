"""Symbols: what a value of the rule language is to z3, and how a model's values come back as plain Python.

Every value comes with a truth value that says whether it is known. A set is a bit vector, one bit for each node; a
number is an unbounded integer; a replication property is one integer for each location scope.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import z3

from spec.language.meaning import Value
from spec.language.parameters import FACTOR_BITS
from spec.language.scopes import SCOPES
from spec.language.terms import Sort
from spec.proof.contexts import undisturbed

TRUE = z3.BoolVal(True, undisturbed(z3.main_ctx()))
MOST_COPIES = (1 << FACTOR_BITS - 1) - 1
"""The greatest factor that a packed replication property can keep."""


class Symbolic(NamedTuple):
    """A value as z3 sees it, and whether it is known; where it is not, the value means nothing."""

    value: Any
    known: Any


def bits(members: frozenset[int], width: int) -> Any:
    """A set of nodes as a bit vector."""
    return z3.BitVecVal(sum(1 << node for node in members), width)


def symbol(name: str, sort: Sort, width: int, *, nullable: bool = False) -> Symbolic:
    """A value of which nothing is assumed; ``nullable`` leaves open whether it is known."""
    known = z3.Bool(f"{name} is known") if nullable else TRUE
    match sort:
        case "bool":
            return Symbolic(z3.Bool(name), known)
        case "int":
            return Symbolic(z3.Int(name), known)
        case "set":
            return Symbolic(z3.BitVec(name, width), known)
        case "factors":
            return Symbolic({scope: z3.Int(f"{name}.{scope}") for scope in SCOPES}, known)


def constant(value: Value, sort: Sort, width: int) -> Symbolic:
    """A plain value; None is not known."""
    if value is None:
        return Symbolic(symbol("nothing", sort, width).value, z3.BoolVal(False))
    match sort:
        case "bool":
            return Symbolic(z3.BoolVal(value), TRUE)
        case "int":
            return Symbolic(z3.IntVal(value), TRUE)
        case "set":
            return Symbolic(bits(value, width), TRUE)
        case "factors":
            return Symbolic({scope: z3.IntVal(value.get(scope, 0)) for scope in SCOPES}, TRUE)


def within_storage(value: Any) -> list[Any]:
    """What storage forces on a symbol: a factor fits its bits."""
    if not isinstance(value, Mapping):
        return []
    return [z3.And(copies >= 0, copies <= MOST_COPIES) for copies in value.values()]


def plain(said: Symbolic, model: Any) -> Value:
    """The value that a model gives, as the meaning of terms takes it; None where it is not known."""
    if not z3.is_true(model.eval(said.known, model_completion=True)):
        return None
    return literal(said.value, lambda value: model.eval(value, model_completion=True))


def literal(value: Any, evaluate: Any) -> Value:
    """A plain value, when ``evaluate`` turns each z3 expression of it into a literal.

    Raises:
        ValueError: what remains is no literal.
    """
    if isinstance(value, Mapping):
        factors = {scope: literal(copies, evaluate) for scope, copies in value.items()}
        return {scope: copies for scope, copies in factors.items() if copies}
    found = evaluate(value)
    if z3.is_true(found) or z3.is_false(found):
        return z3.is_true(found)
    if z3.is_int_value(found):
        return found.as_long()
    if z3.is_bv_value(found):
        whole = found.as_long()
        return frozenset(node for node in range(found.size()) if whole >> node & 1)
    raise ValueError(f"{found} is no literal: the term has a leaf without a value")
