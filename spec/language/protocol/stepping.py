"""The run reading for worlds of any size: a text as Python functions over the rows of a state.

``running`` has a bit for each row that a small world can have; this looks at the rows that are there. Source text is
made of the clauses once, whatever the world: what its names of sorts and families stand for is given with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import CodeType
from typing import Any, Final
from weakref import WeakKeyDictionary

from spec.language.protocol.clauses import Clause
from spec.language.protocol.draft import Update
from spec.language.protocol.meaning import BrokenAssumption
from spec.language.protocol.sorts import Family, Sort
from spec.language.protocol.states import Domains, Row, Rows, State, Step
from spec.language.protocol.text import Protocol
from spec.language.terms import Applied, Binder, Bound, Holds, Lit, Member, Named, Op, Quantified, Term

COMPARED: Final = {"=": "==", "<>": "!=", "<": "<", "<=": "<="}
JOINED: Final = {"and": "{0} and {1}", "or": "{0} or {1}", "implies": "not {0} or {1}"}
QUANTIFIED: Final = {"every": "all", "some": "any"}


class Stepper:
    """A world that takes steps."""

    def __init__(self, world: Domains) -> None:
        self.world = world
        self._said: dict[str, Any] = {"__builtins__": {"all": all, "any": any}}
        for sort in world.protocol.sorts():
            self._said[_all(sort)] = world.elements(sort)
            if issubclass(sort, Family):
                self._said[_sets(sort)] = world.families[sort]
        exec(compiled(world.protocol), self._said)  # noqa: S102 - the text is derived from closed terms

    def after(self, state: State, step: Step, *, strict: bool = True) -> State | None:
        """The state after an action, or None where it is not enabled: as ``meaning.after`` defines it.

        Raises:
            BrokenAssumption: it is ``strict``, and what the text assumes is false, or a function gets two values.
        """
        rows, name = dict(state.relations), step.action.name
        if not self._said[_may(name)](rows, *step.args):
            return None
        if strict and not self._said[_must(name)](rows, *step.args):
            raise BrokenAssumption(f"{step} was enabled where what it assumes is false")
        changed = _changed(rows, *self._said[_does(name)](rows, *step.args))
        for relation, found in changed.items() if strict else ():
            if self.world.protocol.relations[relation].functional and len({row[:-1] for row in found}) < len(found):
                raise BrokenAssumption(f"{step} gives {relation} two values for the same arguments")
        return State(tuple((name, changed.get(name, before)) for name, before in state.relations))


def _changed(
    rows: dict[str, Rows], added: list[tuple[str, Row]], removed: list[tuple[str, Row]]
) -> dict[str, frozenset[Row]]:
    """The relations that have other rows afterwards: removals first, so that what is added stays."""
    changed: dict[str, set[Row]] = {}
    for name, row in removed:
        if row in rows[name]:
            changed.setdefault(name, set(rows[name])).discard(row)
    for name, row in added:
        if row not in changed.get(name, rows[name]):
            changed.setdefault(name, set(rows[name])).add(row)
    return {name: frozenset(found) for name, found in changed.items()}


_compiled: WeakKeyDictionary[type[Protocol], CodeType] = WeakKeyDictionary()


def compiled(text: type[Protocol]) -> CodeType:
    """The functions of all definitions and actions of a text."""
    if text not in _compiled:
        parts = [_definition(one) for one in text.definitions.values()]
        parts += [part for action in text.of_kind("action") for part in _action(action)]
        _compiled[text] = compile("\n".join(parts), f"<{text.__name__}>", "exec")
    return _compiled[text]


# ----------------------------------------------------------------------------------------------- source text


def _all(sort: type[Sort]) -> str:
    return f"all_{sort.__name__}"


def _sets(sort: type[Sort]) -> str:
    return f"sets_{sort.__name__}"


def _may(action: str) -> str:
    return f"may_{action}"


def _must(action: str) -> str:
    return f"must_{action}"


def _does(action: str) -> str:
    return f"does_{action}"


def _definition(clause: Clause) -> str:
    return _function(f"is_{clause.name}", clause, [f"return {formula(clause.body)}"])


def _action(clause: Clause) -> Iterator[str]:
    yield _function(_may(clause.name), clause, [f"return {_conjunction(clause.requires)}"])
    yield _function(_must(clause.name), clause, [f"return {_conjunction(clause.assumes)}"])
    lines = [line for update in clause.updates for line in _update(update)]
    yield _function(_does(clause.name), clause, ["added, removed = [], []", *lines, "return added, removed"])


def _function(name: str, clause: Clause, lines: Iterable[str]) -> str:
    """A function of a state's rows and of a clause's parameters."""
    params = ", ".join(["rows", *(element(param.var) for param in clause.params)])
    return f"def {name}({params}):\n    " + "\n    ".join(lines)


def _update(update: Update) -> Iterator[str]:
    """Lines that write down the rows that an update adds and removes."""
    loops = [_drawn(binder) for binder in update.over]
    tests = [] if update.when is None else [f"if {formula(update.when)}"]
    indent = ""
    for head in (*(line for loop in loops for line in loop), *tests):
        yield f"{indent}{head}:"
        indent += "    "
    row = _row(update.row)
    if update.how == "put":
        found = f'(("{update.relation}", row) for row in rows["{update.relation}"] if row[:-1] == {row}[:-1])'
        yield f"{indent}removed.extend({found})"
    where = "removed" if update.how == "remove" else "added"
    yield f'{indent}{where}.append(("{update.relation}", {row}))'


def _conjunction(parts: Iterable[Term]) -> str:
    return " and ".join(map(formula, parts)) or "True"


def formula(term: Term) -> str:
    """A formula as an expression over the rows of a state; in parentheses where it needs any."""
    match term:
        case Lit(value):
            return str(bool(value))
        case Holds(relation, row):
            return f'({_row(row)} in rows["{relation}"])'
        case Member(item, Bound(_, sort) | Named(sort, _) as family):
            return f"({element(item)} in {_sets(sort)}[{element(family)}])"
        case Op("not", (body,)):
            return f"(not {formula(body)})"
        case Op(name, (a, b)) if name in JOINED:
            return f"({JOINED[name].format(formula(a), formula(b))})"
        case Op(name, (a, b)) if name in COMPARED:
            return f"({element(a)} {COMPARED[name]} {element(b)})"
        case Quantified(kind, over, body):
            loops = " ".join(line for binder in over for line in _drawn(binder))
            return f"{QUANTIFIED[kind]}({formula(body)} {loops})"
        case Applied(name, args):
            return f"is_{name}({', '.join(['rows', *map(element, args)])})"
        case _:
            raise TypeError(f"{term} is no formula of a protocol text")


def _drawn(binder: Binder) -> list[str]:
    """A loop over what a variable is drawn from, and the test of what it has besides."""
    var, everything = binder.var, _all(binder.var.sort)
    match binder.within:
        case None:
            return [f"for {element(var)} in {everything}"]
        case Member(item, Bound(_, sort) | Named(sort, _) as family) if item == var:
            return [f"for {element(var)} in {_sets(sort)}[{element(family)}]"]
        case Op("<", (one, end)) if one == var:
            return [f"for {element(var)} in {everything}[:{element(end)}]"]
        case Op("<", (end, one)) if one == var:
            return [f"for {element(var)} in {everything}[{element(end)} + 1:]"]
        case within:
            return [f"for {element(var)} in {everything}", f"if {formula(within)}"]


def element(term: Term) -> str:
    """A variable, or the number of a named element."""
    match term:
        case Bound(number, _):
            return f"v{number}"
        case Named(sort, name):
            return str(sort.constants.index(name))
        case _:
            raise TypeError(f"{term} is no element")


def _row(row: Iterable[Term]) -> str:
    return f"({''.join(f'{element(one)}, ' for one in row)})"
