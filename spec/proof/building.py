"""Building terms for z3 without delay.

Many proofs take a few milliseconds, and more would go into words: z3's operators for Python look at the sort of every
operand, over and over. Here long sums and conjunctions are made in one call.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import z3

from spec.proof.symbols import TRUE


def all_of(formulas: list[Any]) -> Any:
    """The conjunction of formulas, all of them z3's own."""
    return _many(z3.Z3_mk_and, z3.BoolRef, formulas) if formulas else TRUE


def denied(formula: Any) -> Any:
    """The negation of a formula of z3's own."""
    return z3.BoolRef(z3.Z3_mk_not(formula.ctx.ref(), formula.as_ast()), formula.ctx)


def total(numbers: Iterable[Any]) -> Any:
    """The sum of whole numbers, all of them z3's own."""
    few = list(numbers)
    return _many(z3.Z3_mk_add, z3.ArithRef, few) if few else z3.IntVal(0)


def natural(numbers: Iterable[Any]) -> Any:
    """None of these numbers, all of them z3's own, is below zero."""
    zero = z3.IntVal(0)
    context = zero.ctx
    return all_of([z3.BoolRef(z3.Z3_mk_ge(context.ref(), one.as_ast(), zero.as_ast()), context) for one in numbers])


def _many(make: Any, sort: Any, parts: list[Any]) -> Any:
    if len(parts) == 1:
        return parts[0]
    context = parts[0].ctx
    operands = (z3.Ast * len(parts))(*(part.as_ast() for part in parts))
    return sort(make(context.ref(), len(parts), operands), context)
