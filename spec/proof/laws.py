"""Laws of rows: what every row of a view satisfies, whatever the trace.

Columns of a row are not free: the least of some values is not above their greatest, and what an acknowledgement says
is known only where there is one. Written as terms, so that z3 assumes them when it looks for rows, and that tests can
hold them against the rows of random traces.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from spec.language.declare import Rowset, View
from spec.language.events import AnyEvent, fields_of, kinds
from spec.language.terms import Agg, Along, Col, Field, Lit, Op, Term, leaves
from spec.language.vocabulary import AHEAD, sort_of


def _known(column: Term) -> Op:
    return Op("known", (column,))


def _implies(given: Term, claim: Term) -> Op:
    return Op("implies", (given, claim))


def _both(*parts: Term) -> Term:
    whole = parts[0]
    for part in parts[1:]:
        whole = Op("and", (whole, part))
    return whole


def may_be_unknown(term: Term, rows: type[Rowset]) -> bool:
    """Whether a column of a view, or a term over the fields of its events, can be NULL."""
    match term:
        case Field(event, name, _, _):
            missing = not rows.grouped and not set(kinds(rows.events)) <= set(kinds(event))
            return missing or _optional(event, name)
        case Agg(fn, of, where):
            asked = [value for _, value in of] + ([where] if where is not None else [])
            unsure = any(_optional(field.event, field.name) for part in asked for field in leaves(part, Field))
            partial = any(op.name == "when" for part in asked for op in leaves(part, Op))
            return unsure or partial or fn not in ("any", "count", "union")
        case _:
            return True


def _optional(event: type[AnyEvent], name: str) -> bool:
    return fields_of(event)[name].optional


def laws(view: type[View]) -> list[Op]:
    """What every row of a view satisfies: each is true, never unknown."""
    aggregates = {Col(name, sort_of(term)): term for name, term in view.base.items() if isinstance(term, Agg)}
    found = [law for name, agg in aggregates.items() for law in _alone(name, agg)]
    for (a, first), (b, second) in permutations(aggregates.items(), 2):
        found += _pair(a, first, b, second, view)
    for name, near in view.near.items():
        found += _near(Col(name, sort_of(near)), near, view)
    return list(dict.fromkeys(found))


def _alone(column: Col, agg: Agg) -> Iterator[Op]:
    """A count is no less than zero."""
    if agg.fn == "count":
        yield _implies(_known(column), Op(">=", (column, Lit(0))))


def _pair(a: Col, first: Agg, b: Col, second: Agg, rows: type[Rowset]) -> Iterator[Op]:
    same_events = (first.of, first.where) == (second.of, second.where)
    match first.fn, second.fn:
        case ("min", "max") if same_events:
            yield _implies(_known(a), _known(b))
            yield _implies(_known(b), _known(a))
            if a.sort == "int":
                yield _implies(_known(a), Op("<=", (a, b)))
        case ("common", "union") if same_events:
            yield _implies(_known(a), _known(b))
            yield _implies(_known(a), Op("subset", (a, b)))
        case ("union", "union") if first.of == second.of and second.where is None:
            yield _implies(_both(_known(a), _known(b)), Op("subset", (a, b)))
        case "any", _:
            yield from _presence(a, first, b, second, rows)


def _presence(there: Col, any_of: Agg, column: Col, agg: Agg, rows: type[Rowset]) -> Iterator[Op]:
    """Where an aggregate has a value, its event is there; and the other way round, where nothing can be unknown."""
    some = _some(column, agg)
    if some is None:
        return
    ours = set(kinds(any_of.of[0][0]))
    theirs = {kind for event, _ in agg.of for kind in kinds(event)}
    same_choice = any_of.where == agg.where
    if theirs <= ours and (any_of.where is None or same_choice):
        yield _implies(some, there)
    if ours <= theirs and same_choice and not may_be_unknown(Agg("any", agg.of, agg.where), rows):
        yield _implies(there, some)


def _some(column: Col, agg: Agg) -> Term | None:
    """That the aggregate saw an event, as far as its value tells."""
    match agg.fn:
        case "any":
            return _both(_known(column), column)
        case "count":
            return _both(_known(column), Op(">", (column, Lit(0))))
        case "union" if all(isinstance(value, Op) and value.name == "one" for _, value in agg.of):
            return _both(_known(column), Op(">", (Op("size", (column,)), Lit(0))))
        case "min" | "max" | "common":
            return _known(column)
        case _:
            return None


def _near(column: Col, near: Along, rows: type[Rowset]) -> Iterator[Op]:
    """What a row sees of its partition: itself first, and only what stands before it, or after it."""
    value = rows.inline(near.of)
    if column.sort == "int" and near.fn != "previous":
        relation = {"highest": ">=", "lowest": "<="}.get(near.fn, "=")
        yield _implies(_known(value), _both(_known(column), Op(relation, (column, value))))
    ordered = value.args[0] if isinstance(value, Op) and value.name == "when" else value
    if isinstance(ordered, Col) and ordered.name in rows.key:
        outer = rows.key[: rows.key.index(ordered.name)]
        if set(outer) <= {part.name for part in map(rows.inline, near.partition) if isinstance(part, Col)}:
            relation = ">=" if near.fn in AHEAD else "<="
            yield _implies(_known(column), Op(relation, (column, ordered)))
