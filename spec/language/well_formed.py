"""Well formed: what a view and a rule must be for every reading to give them the same meaning.

Each mistake is named where it is declared. Found later, it would be a verdict about no row, or an error of an engine.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

from spec.language.events import concrete, root_of
from spec.language.refusals import AuthorMistake
from spec.language.terms import Agg, Along, Col, Field, Lookup, Term, leaves


def refuse_strange(events: type[Any], term: Agg | Field, where: str) -> None:
    """Make sure that a base column of rows is made of what their events say, and of nothing else.

    Args:
        events: the class whose events make the rows.
        term: an aggregate, or a field of the one event of a row.
        where: the column, for people.

    Raises:
        AuthorMistake: it asks for events that no row has, for fields of others, or for what is no field.
    """
    asked: list[tuple[type[Any], Term | None]] = [(term.event, term)] if isinstance(term, Field) else [*term.of]
    if isinstance(term, Agg):
        asked += [(event, term.where) for event, _ in term.of]
    for event, said in asked:
        if concrete(events).isdisjoint(concrete(event)):
            what = f"{where} asks for {event.__name__}, and the rows are made of {events.__name__}, as the key says"
            raise AuthorMistake(
                what, f"Make the key of fields of a class above both, such as {root_of(events).__name__}"
            )
        for leaf in () if said is None else leaves(said, object):
            if isinstance(leaf, Field) and concrete(leaf.event).isdisjoint(concrete(event)):
                what = f"{where} asks {event.__name__} for {leaf.event.__name__}.{leaf.name}"
                raise AuthorMistake(what, "Ask each for its own fields")
            if isinstance(leaf, Agg | Along | Col | Lookup):
                what = f"{where} is made of {_called(leaf)}, which no single event says"
                raise AuthorMistake(
                    what, "Aggregate fields, and join aggregates in a column of their own or in the rule"
                )


def refuse_mixed_key(fields: Iterable[Field], where: str) -> None:
    """Make sure that every event that makes a row has all fields of the key.

    Raises:
        AuthorMistake: some do not.
    """
    first, *others = fields
    for field in others:
        if not concrete(first.event) <= concrete(field.event):
            what = f"the key of {where} begins with {first.event.__name__}, of which not all have {field.name}"
            advice = f"Begin it with a field of {field.event.__name__}: the first one says whose events make rows"
            raise AuthorMistake(what, advice)


def refuse_unread(term: Term, columns: Container[str], where: str) -> None:
    """Make sure that a formula over rows reads their columns, and tables, alone.

    Raises:
        AuthorMistake: it reads what is no column.
    """
    for leaf in leaves(term, object):
        if isinstance(leaf, Field | Agg | Along) or (isinstance(leaf, Col) and leaf.name not in columns):
            what = f"{where} reads {_called(leaf)}, which is no column of its view"
            raise AuthorMistake(what, "Give it a name in the view")


def _called(leaf: Any) -> str:
    """What people call a part of a formula."""
    match leaf:
        case Field(event, name):
            return f"{event.__name__}.{name}"
        case Col(name):
            return f"column {name}"
        case Agg(fn):
            return f"an aggregate ({fn})"
        case Along(fn):
            return f"a neighbour ({fn})"
        case Lookup(dimension, column):
            return f"{dimension.__name__}.{column}"
        case _:
            return str(leaf)
