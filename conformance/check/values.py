"""Values: how a column of a row is written for people, by what it denotes."""

from __future__ import annotations

from typing import Any, Final

from conformance.check.sentences import node_set
from spec.events import GAP_KINDS, Gap
from spec.language.declare import Rowset
from spec.language.terms import Agg, Along, Col, Field, Lookup, Op, Term
from spec.reports.names import Names, digest_text

_SPELT: Final = {"∧": "and", "∨": "or", "⇒": "implies", "¬": "not ", "≥": ">=", "≤": "<=", "≠": "is not", "∈": "in"}

_OPERATIONS_ON_NUMBERS = {"when", "+", "-"}


def value_text(value: Any, term: Term, rows: type[Rowset], names: Names) -> str:
    """A value by what its term denotes: LSNs as epoch and ESN, nodes by name, digests in hexadecimal."""
    match value:
        case None:
            return "not known"
        case bool():
            return "true" if value else "false"
        case frozenset():
            return "{" + ("" if not value else node_set(value, names)) + "}"
        case dict():
            return ", ".join(f"{scope}: {copies}" for scope, copies in value.items()) or "no copies"
    match denotes(term, rows):
        case Field(column="actor", name="writer" | "reader" as whose):
            named = names.writers if whose == "writer" else names.readers
            return named.get(value, str(value))
        case Field(column="after" | "perhaps_after") if value < 0:
            return "none"
        case Field(column="lsn" | "upto" | "after" | "perhaps_after" | "since"):
            whole = value & (1 << names.esn_bits) - 1 == (1 << names.esn_bits) - 1
            return f"the end of epoch {value >> names.esn_bits}" if whole else names.lsn(value)
        case Field(column="digest"):
            return digest_text(value)
        case Field(column="node"):
            return names.node(value)
        case Field(event=event, column="arg") if event is Gap:
            return next((word for word, number in GAP_KINDS.items() if number == value), str(value))
        case _:
            return str(value)


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
        case Op(name, args) if name in _OPERATIONS_ON_NUMBERS:
            return denotes(args[0], rows)
        case _:
            return None
