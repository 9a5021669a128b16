"""The state after an action, as formulas over the state before it; definitions that the action leaves alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import z3

from spec.language.protocol.clauses import Clause
from spec.language.protocol.draft import Update
from spec.language.terms import Applied, Bound, walk
from spec.proof.inductive.logic import Logic, Values
from spec.proof.inductive.symbols import State


def after(logic: Logic, action: Clause, values: Values) -> State:
    """Each relation after an action: removals and replacements come first, so that what is added stays."""
    post = dict(logic.symbols.now)
    for name in dict.fromkeys(update.relation for update in action.updates):
        updates = [update for update in action.updates if update.relation == name]
        post[name] = _changed(logic, name, updates, values)
    return post


def _changed(logic: Logic, name: str, updates: list[Update], values: Values) -> Callable[..., Any]:
    before = logic.symbols.now[name]

    def there(*row: Any) -> Any:
        added = [_touches(logic, update, row, values) for update in updates if update.how != "remove"]
        removed = [_touches(logic, update, row, values) for update in updates if update.how == "remove"]
        replaced = [_touches(logic, update, row[:-1], values) for update in updates if update.how == "put"]
        kept = logic.all_of([before(*row), *map(z3.Not, removed + replaced)])
        return z3.Or([*added, kept]) if added else kept

    return there


def _touches(logic: Logic, update: Update, columns: tuple[Any, ...], values: Values) -> Any:
    """An update speaks of a row with these first columns. A loop's variable that is a column is that column."""
    fixed: dict[int, Any] = {}
    looped = {binder.var.number for binder in update.over}
    for term, column in zip(update.row, columns, strict=False):
        if isinstance(term, Bound) and term.number in looped:
            fixed.setdefault(term.number, column)
    own = logic.fresh(tuple(binder for binder in update.over if binder.var.number not in fixed))
    inner = {**values, **fixed, **own}
    elements = [(column, logic.element(term, inner)) for term, column in zip(update.row, columns, strict=False)]
    parts = logic.ranges(update.over, inner) + [a == b for a, b in elements if not a.eq(b)]
    if update.when is not None:
        parts.append(logic.formula(update.when, inner, logic.symbols.now))
    return z3.Exists(list(own.values()), logic.all_of(parts)) if own else logic.all_of(parts)


def fold(logic: Logic, action: Clause | None = None) -> dict[str, Any]:
    """Keep as symbols the definitions of which one state only is asked, and say what they mean.

    Those are the ones that invariants use and the action does not touch; and the ones that lemmas name and no invariant
    uses: they are asked of the state before the action. Goals and lemmas need only these.
    """
    text = logic.text
    used = {name for one in text.of_kind("invariant") for name in logic.read(one)}
    named = {part.name for one in text.of_kind("lemma") for part in walk(one.body) if isinstance(part, Applied)}
    kept = named - used
    if action is not None:
        touched = {update.relation for update in action.updates}
        free = used & set(text.definitions)
        kept |= {name for name in free if touched.isdisjoint(logic.read(text.definitions[name]))}
    logic.folded, meaning = {}, {}
    for name, definition in text.definitions.items():
        if name not in kept:
            continue
        symbol = logic.symbols.relation(name, definition.sorts)
        values = logic.fresh(definition.params)
        row, body = list(values.values()), logic.formula(definition.body, values, logic.symbols.now)
        meaning[f"{name} if"] = _for_all(row, z3.Implies(body, symbol(*row)))
        meaning[f"{name} only if"] = _for_all(row, z3.Implies(symbol(*row), body))
        logic.folded[name] = symbol
    return meaning


def _for_all(row: list[Any], body: Any) -> Any:
    return z3.ForAll(row, body) if row else body
