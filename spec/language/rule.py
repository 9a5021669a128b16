"""Rules: one named function over one view's row, read once when it is defined."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args, get_type_hints

from spec.language.declare import Dimension, Rowset, View
from spec.language.events import AnyEvent, all_events, kinds, root_of, told_by
from spec.language.handles import Bool, as_term
from spec.language.presence import can_be
from spec.language.refusals import AuthorMistake, reading
from spec.language.terms import Agg, Col, Field, Lit, Lookup, Op, Param, Term, leaves
from spec.language.well_formed import refuse_unread
from spec.near import did_you_mean

Strength = Literal["safety", "deadline"]
Variant = Literal["", "written", "shipped"]

_ID = re.compile(r"[a-z]+(\.[a-z][a-z0-9_]*)+")


class Census(NamedTuple):
    """How a rule tells what it counts, as in "7 acknowledged: 3 read, 4 not read yet".

    Attributes:
        there: its instances.
        asked: those about which somebody asked.
        rest: the others.
        advice: what to record where nobody asked about any.
    """

    there: str
    asked: str
    rest: str
    advice: str


@dataclass(frozen=True, eq=False)
class Rule:
    """One rule of the specification, as data; there is one of each, so two are the same only if they are one.

    Attributes:
        id: stable name, dotted, from the general to the particular.
        view: the view whose rows it judges.
        sentence: the rule in English; the first line of its docstring.
        cite: where the rule comes from: document and section, or source path.
        term: the formula over the row.
        promise: the promise that a system must make for the rule to apply to it; "" applies to any system.
        strength: safety, or liveness by a deadline.
        variant: "written" or "shipped" where the source's text and the real systems differ, else "".
        source: file and line of its definition.
        spares: kinds without which it is judged all the same: where nobody records them, there were none.
        census: the words of a rule that counts how much of what happened was asked about; None for all others.
    """

    id: str
    view: type[View]
    sentence: str
    cite: str
    term: Term
    promise: str
    strength: Strength
    variant: Variant
    source: str
    spares: tuple[type[AnyEvent], ...] = ()
    census: Census | None = None

    @property
    def module(self) -> str:
        """The module of its definition."""
        path = self.source.partition(":")[0].removesuffix(".py").removesuffix("/__init__")
        return path.replace("/", ".")

    @cached_property
    def parts(self) -> tuple[Term, Term]:
        """(given, claim) over base and neighbour columns; given says which rows are instances."""
        term = self.view.inline(self.term)
        if isinstance(term, Op) and term.name == "implies":
            return term.args[0], term.args[1]
        return Lit(value=True), term

    @cached_property
    def columns(self) -> frozenset[str]:
        """The base and neighbour columns that the rule reads."""
        return frozenset(col.name for part in self.parts for col in leaves(part, Col))

    @cached_property
    def neighbours(self) -> frozenset[str]:
        """The neighbour columns that the rule reads."""
        return self.columns & frozenset(self.view.near)

    @cached_property
    def lookups(self) -> tuple[Lookup, ...]:
        """What the rule looks up."""
        return tuple(leaf for leaf in _sources(self.view, self.parts) if isinstance(leaf, Lookup))

    @cached_property
    def dimensions(self) -> tuple[type[Dimension], ...]:
        """The dimensions that the rule looks up."""
        return tuple(dict.fromkeys(lookup.dimension for lookup in self.lookups))

    @cached_property
    def needs(self) -> tuple[type[AnyEvent], ...]:
        """The classes of events, each with a kind of its own, on which the verdict depends."""
        return self._needed_by(self.parts)

    @cached_property
    def needed_by_instances(self) -> tuple[type[AnyEvent], ...]:
        """The classes of events on which it depends which rows are instances."""
        return self._needed_by(self.parts[:1])

    def _needed_by(self, terms: tuple[Term, ...]) -> tuple[type[AnyEvent], ...]:
        found: set[int] = set()
        for leaf in _sources(self.view, terms):
            if isinstance(leaf, Agg):
                found.update(kind for event, _ in leaf.of for kind in kinds(event))
                found.update(_told_by(field for _, term in (*leaf.of, (None, leaf.where)) for field in _fields(term)))
            elif isinstance(leaf, Field) and not self.view.grouped:
                found.update((*kinds(leaf.event), *_told_by([leaf])))
            elif isinstance(leaf, Lookup):
                found.update(kinds(leaf.dimension.events))
        return tuple(event for event in all_events(root_of(self.view.events)) if event.kind in found)

    @cached_property
    def params(self) -> frozenset[str]:
        """The numbers of the trace's header that the rule uses."""
        return frozenset(leaf.name for leaf in _sources(self.view, self.parts) if isinstance(leaf, Param))


def _fields(term: Term | None) -> tuple[Field, ...]:
    return () if term is None else tuple(leaves(term, Field))


def _told_by(fields: Iterable[Field]) -> set[int]:
    """The kinds from which bookkeeping works fields out."""
    return {kind for field in fields for event in told_by(field) for kind in kinds(event)}


def _sources(rows: type[Rowset], terms: tuple[Term, ...]) -> list[Term]:
    """All leaves below row terms, through columns, neighbours and dimensions."""
    found: list[Term] = []
    for term in terms:
        for leaf in leaves(term, object):
            match leaf:
                case Col(name) if name in rows.near:
                    near = rows.near[name]
                    found += _sources(rows, (rows.inline(near.of), *map(rows.inline, near.partition)))
                case Col(name) if name in rows.base:
                    found.append(rows.base[name])
                    found += leaves(rows.base[name], Param)
                case Lookup(dimension, column, _, _):
                    found.append(leaf)
                    found += _sources(dimension, (dimension.inline(Col(column, leaf.sort)),))
                case Param():
                    found.append(leaf)
                case _:
                    pass
    return found


def rules_about(rules: Iterable[Rule], here: frozenset[int]) -> tuple[Rule, ...]:
    """The rules of which some row may be an instance, in a trace in which only these kinds of event occur."""
    return tuple(rule for rule in rules if _may_have_instances(rule, here))


def _may_have_instances(rule: Rule, here: frozenset[int]) -> bool:
    given, _ = rule.parts
    return not here.isdisjoint(kinds(rule.view.events)) and can_be(given, rule.view, here) != {False}


def rule(
    id: str,  # noqa: A002 - the word that authors and reports use
    *,
    cite: str,
    promise: str = "",
    strength: Strength = "safety",
    variant: Variant = "",
    spares: tuple[type[AnyEvent], ...] = (),
    census: Census | None = None,
) -> Callable[[Callable[[Any], Bool]], Rule]:
    """Read a function over one view's row as a rule; the first line of its docstring is the sentence.

    Raises:
        AuthorMistake: bad id, no sentence, no citation, no view, or a result that is no formula.
    """

    def read(function: Callable[[Any], Bool]) -> Rule:
        module = function.__module__.replace(".", "/")
        inside = "/__init__" if function.__code__.co_filename.endswith("__init__.py") else ""
        where = f"{module}{inside}.py:{function.__code__.co_firstlineno}"
        sentence = inspect.cleandoc(function.__doc__ or "").split("\n\n")[0].replace("\n", " ")
        if not _ID.fullmatch(id):
            raise AuthorMistake(f"bad rule id {id!r}", "Use dotted lower-case words, such as client.read.in_order")
        if not sentence:
            raise AuthorMistake(f"{id} has no docstring", "Its first line is the rule in English")
        if not _is_said(cite):
            raise AuthorMistake(f"{id} cites nothing", "Name the document and section, or the source path")
        for given, words in ((strength, get_args(Strength)), (variant, get_args(Variant))):
            if given not in words:
                raise AuthorMistake(f"{id} is {given!r}", did_you_mean(str(given), words))
        view = _view_of(function, id)
        with reading():
            said = function(view)
            if not isinstance(said, Bool):
                raise AuthorMistake(f"{id} returns {type(said).__name__}", "A rule returns one formula")
            term = as_term(said, "bool")
        refuse_unread(term, (*view.base, *view.near, *view.derived), id)
        return Rule(id, view, sentence, cite, term, promise, strength, variant, where, spares, census)

    return read


def _is_said(text: object) -> bool:
    """Whether an author wrote some words."""
    return isinstance(text, str) and bool(text.strip())


def _view_of(function: Callable[[Any], Bool], name: str) -> type[View]:
    hints = get_type_hints(function)
    hints.pop("return", None)
    views = list(hints.values())
    if len(views) != 1 or not (isinstance(views[0], type) and issubclass(views[0], View)):
        raise AuthorMistake(f"{name} must take one row of one view", "Annotate its only parameter with a View")
    view: type[View] = views[0]
    return view
