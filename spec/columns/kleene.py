"""Kleene: what is NULL for good and what is open, through every operation.

A column is known, NULL for good, or open: rows outside the block may still decide it. An operation is open only where
that makes a difference: beside something false a conjunction is false, beside a NULL an operation is NULL, however
open the other side. A number that may only fall is known already to be known, and what it is below it stays below.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from spec.columns.column import Array, Column, Mask, both, either, false, true


def plain(value: Array) -> Any:
    """A constant without a width of its own, so that narrow columns stay narrow when compared with it."""
    return value if value.ndim else int(value)


def kleene_not(a: Column) -> Column:
    """Unknown stays unknown."""
    return Column(~a.value, a.known, a.open)


def kleene_and(a: Column, b: Column) -> Column:
    """False if one is false, true if both are true, else unknown."""
    if a.known is None and b.known is None:
        return Column(a.value & b.value)
    value = true(a) & true(b)
    return _decided(value, value | false(a) | false(b), a.open, b.open)


def kleene_or(a: Column, b: Column) -> Column:
    """True if one is true, false if both are false, else unknown."""
    if a.known is None and b.known is None:
        return Column(a.value | b.value)
    value = true(a) | true(b)
    both_known = both(a.known, b.known)
    return _decided(value, value if both_known is None else value | both_known, a.open, b.open)


def is_nowhere(a: Column) -> bool:
    """Whether a truth value is known to be false in all rows."""
    return a.known is None and not a.value.any()


def is_everywhere(a: Column) -> bool:
    """Whether a truth value is known to be true in all rows."""
    return a.known is None and bool(a.value.all())


def _decided(value: Mask, known: Mask, *opened: Mask | None) -> Column:
    """A truth value that is open where an operand is, unless the other one decides it."""
    either_open = either(*opened)
    return Column(value, known, None if either_open is None else either_open & ~known)


def undecided(*args: Column) -> Mask | None:
    """Where operands are open, and none is NULL for good."""
    opened: Mask | None = None
    for arg in args:
        if arg.open is not None:
            opened = arg.open if opened is None else opened | arg.open
    if opened is None:
        return None
    for arg in args:
        if arg.known is not None:
            opened = opened & (arg.known if arg.open is None else arg.known | arg.open)
    return opened


def strict(function: Callable[..., Any], args: list[Column]) -> Column:
    """An operation on values that is NULL where an operand is, and open where one is and none is NULL for good."""
    value = np.asarray(function(*[arg.value for arg in args]))
    known: Mask | None = None
    for arg in args:
        if arg.known is not None and arg.known is not known:
            known = arg.known if known is None else known & arg.known
    return Column(value) if known is None else Column(value, known, undecided(*args))


def compared(function: Callable[..., Any], args: list[Column], *, less: bool) -> Column:
    """A comparison, settled where operands can only move away from each other; ``less``: whether the first is less."""
    said = strict(function, args)
    if said.open is None or all(arg.bound is None for arg in args):
        return said
    first, second = args
    stays_true = _moves(first, down=less) & _moves(second, down=not less)
    stays_false = _moves(first, down=not less) & _moves(second, down=less)
    settled = said.open & np.where(said.value, stays_true, stays_false)
    return Column(said.value, either(said.known, settled), said.open & ~settled)


def _moves(a: Column, *, down: bool) -> Mask:
    """Where a number will be known, and if it moves at all, then down, or up."""
    final = np.ones(a.value.shape[-1:], np.bool_) if a.known is None else a.known
    return final | a.bound.there if a.bound is not None and a.bound.falls is down else final


def how_many(said: Column, domains: int) -> Column:
    """In how many domains something is true; the first axis is the domains, unless all say the same."""
    value = said.value if said.value.ndim > 1 else np.broadcast_to(said.value, (domains, *said.value.shape))
    total = value.sum(axis=0, dtype=np.int64)
    if said.known is None:
        return Column(total.reshape(()) if total.size == 1 else total)
    known = np.atleast_2d(said.known)
    everywhere = np.asarray(known.all(axis=0))
    if said.open is None:
        return Column(total, everywhere)
    opened = np.atleast_2d(said.open)
    return Column(total, everywhere, np.asarray(opened.any(axis=0) & (known | opened).all(axis=0)))


def _settled(value: Array, opened: Mask | None) -> Column:
    """A truth value that is never NULL, and known except where it is open."""
    return Column(value, None if opened is None else ~opened, opened)


def is_known(a: Column) -> Column:
    """Not NULL: open where it is open and not bounded, else never NULL."""
    opened = a.open if a.open is None or a.bound is None else a.open & ~a.bound.there
    if a.known is None:
        return _settled(np.ones(a.value.shape[-1:], np.bool_), opened)
    return _settled(a.known if a.bound is None else a.known | a.bound.there, opened)


def is_same(a: Column, b: Column) -> Column:
    """Known and equal: never NULL for good."""
    same = np.asarray(np.equal(plain(a.value), plain(b.value)))
    known = both(a.known, b.known)
    return _settled(same if known is None else same & known, undecided(a, b))


def when(a: Column, condition: Column) -> Column:
    """The value where the condition is true, else NULL; settled where the condition is known to be false."""
    opened = undecided(a, condition)
    if opened is not None:
        opened = opened & ~false(condition)
    bound = None if a.bound is None else a.bound._replace(there=a.bound.there & true(condition))
    return Column(a.value, both(a.known, true(condition)), opened, bound)
