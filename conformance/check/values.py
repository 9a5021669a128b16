"""Values: how a column of a row is written for people, by what it denotes."""

from __future__ import annotations

from typing import Any, Final

from spec.language.declare import Rowset
from spec.language.events import Recorded, fields_of
from spec.language.names import Names, hash_text
from spec.language.terms import Agg, Along, Col, Field, Lookup, Op, Term

_SPELT: Final = {"∧": "and", "∨": "or", "⇒": "implies", "¬": "not ", "≥": ">=", "≤": "<=", "≠": "is not", "∈": "in"}

_KEEPING: Final = frozenset({"when", "+", "-", "one", "meet", "join", "minus"})
"""Operations whose value denotes what their operands do."""


def value_text(value: Any, term: Term, rows: type[Rowset], names: Names) -> str:
    """A value by what its term denotes: positions as they are written, members by name, hashes in hexadecimal."""
    field = denotes(term, rows)
    home = None if field is None else fields_of(field.event)[field.name]
    match value:
        case None:
            return "not known"
        case bool():
            return "true" if value else "false"
        case frozenset():
            universe = None if home is None else home.universe
            return (
                "{"
                + ", ".join(str(one) if universe is None else names.of(universe, one) for one in sorted(value))
                + "}"
            )
        case dict():
            return ", ".join(f"{scope}: {copies}" for scope, copies in value.items()) or "no copies"
    return str(value) if home is None else _number_text(value, home, names)


def _number_text(number: int, home: Recorded[Any], names: Names) -> str:
    """A number by the field from which it comes."""
    if home.position is not None:
        return "none" if number < 0 else names.position(home.position, number)
    universe = home.universe
    if universe is None or number in home.words:
        return home.words.get(number, str(number))
    if universe.listed:
        return names.of(universe, number)
    return hash_text(number) if universe.hashed else names.given(universe, number) or str(number)


def in_words(formula: str) -> str:
    """A formula with the commonest signs spelt out, for people who do not read formulas every day."""
    for sign, word in _SPELT.items():
        formula = formula.replace(sign, word)
    return formula


def denotes(term: Term, rows: type[Rowset]) -> Field | None:
    """The field of an event from which a term's value comes, if it comes from one."""
    match term:
        case Field():
            return term
        case Col(name):
            home: dict[str, Any] = {**rows.derived, **rows.near, **rows.base}
            return denotes(home[name], rows) if name in home else None
        case Agg(fn, of):
            return None if fn == "count" else denotes(of[0][1], rows)
        case Along(_, _, of):
            return denotes(of, rows)
        case Lookup(dimension, column, sort, _):
            return denotes(Col(column, sort), dimension)
        case Op(name, args) if name in _KEEPING:
            return denotes(args[0], rows)
        case _:
            return None
