"""The closed vocabulary: every operation, the sorts it takes and the sort it gives.

Adding a word means one line here, one in each reading, and an agreement test; that price keeps the language small.
Operations are *strict* (NULL in, NULL out) except those listed in ``CONNECTIVES`` and ``ABSENCE``.
"""

from __future__ import annotations

from typing import Final

from spec.language.terms import (
    Agg,
    Along,
    Applied,
    Bound,
    Col,
    Count,
    Field,
    Holds,
    Lit,
    Lookup,
    Member,
    Named,
    Op,
    Param,
    Quantified,
    Sort,
    Term,
    Var,
)

OPERATIONS: Final[dict[str, tuple[tuple[Sort, ...], Sort]]] = {
    "=": (("int", "int"), "bool"),
    "<>": (("int", "int"), "bool"),
    "<": (("int", "int"), "bool"),
    "<=": (("int", "int"), "bool"),
    ">": (("int", "int"), "bool"),
    ">=": (("int", "int"), "bool"),
    "+": (("int", "int"), "int"),
    "-": (("int", "int"), "int"),
    "neg": (("int",), "int"),
    "one": (("int",), "set"),
    "window": (("int", "int", "int"), "set"),
    "meet": (("set", "set"), "set"),
    "join": (("set", "set"), "set"),
    "minus": (("set", "set"), "set"),
    "subset": (("set", "set"), "bool"),
    "size": (("set",), "int"),
    "high": (("int",), "int"),
    "first": (("int",), "int"),
    "last": (("int",), "int"),
    "and": (("bool", "bool"), "bool"),
    "or": (("bool", "bool"), "bool"),
    "not": (("bool",), "bool"),
    "implies": (("bool", "bool"), "bool"),
    "is": (("int", "int"), "bool"),
}
"""Operations with fixed sorts. ``known``, ``when`` and ``factor:SCOPE`` take operands of any or of their own sort."""

CONNECTIVES: Final = ("and", "or", "not", "implies")
"""Kleene's strong logic: false and NULL is false, true or NULL is true."""

ABSENCE: Final = ("known", "is")
"""The two that turn NULL into a truth value, and so are never NULL themselves."""

AGGREGATES: Final = ("any", "count", "min", "max", "union", "common")
"""What the events of one row may say together. None depends on the order of the events, so rows merge in any order."""

TOTAL: Final = ("any", "count", "union")
"""Aggregates that say something (no, zero, nobody) even where there was no event."""

NEIGHBOURS: Final = ("previous", "latest", "next", "highest", "lowest")
"""What a row may ask of its partition: the row before, the last or next known value, the greatest so far, the least
from here on."""

AHEAD: Final = ("next", "lowest")
"""The neighbours that lie ahead; each may be the row itself, and no row before it."""

FACTOR: Final = "factor:"
"""Operations ``factor:rack`` and so on read one scope's copies out of a replication property."""


def sort_of(term: Term) -> Sort:
    """The sort of a term's value.

    Raises:
        KeyError: the term uses a word outside the vocabulary, or is an element of a protocol text's sort.
    """
    match term:
        case Lit(value):
            return "bool" if isinstance(value, bool) else "int"
        case Param() | Count():
            return "int"
        case Var():
            return "set"
        case Bound(_, sort) | Named(sort, _):
            raise KeyError(f"{term} is an element of the sort {sort.__name__}, which is no value of a row")
        case Field(_, _, _, sort) | Col(_, sort) | Lookup(_, _, sort, _):
            return sort
        case Op("known", _) | Holds() | Member() | Quantified() | Applied():
            return "bool"
        case Op("when", (value, _)):
            return sort_of(value)
        case Op(name, _):
            return "int" if name.startswith(FACTOR) else OPERATIONS[name][1]
        case Along(_, _, of):
            return sort_of(of)
        case Agg("any", _):
            return "bool"
        case Agg("count", _):
            return "int"
        case Agg(_, of):
            return sort_of(of[0][1])
