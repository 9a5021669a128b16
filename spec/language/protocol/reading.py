"""Reading a clause: its function is called once, with a variable for each parameter, and what it said is kept."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, get_type_hints

from spec.language.handles import Bool, as_term
from spec.language.protocol.clauses import Clause, Kind, Progress, conjunction, conjuncts
from spec.language.protocol.draft import Draft, drafts
from spec.language.protocol.leading import Leads
from spec.language.protocol.sorts import Sort
from spec.language.refusals import AuthorMistake, reading
from spec.language.terms import (
    Agg,
    Along,
    Binder,
    Bound,
    Col,
    Count,
    Field,
    Lit,
    Lookup,
    Param,
    Quantified,
    Term,
    Var,
    children,
    walk,
)


def read(state: object, kind: Kind, function: Callable[..., Any]) -> Clause:
    """Call a clause's function once, with a variable for each parameter, and keep what it said.

    Raises:
        AuthorMistake: the language has no such clause; says what, where and what to write instead.
    """
    where = f"{function.__module__.replace('.', '/')}.py:{function.__code__.co_firstlineno}"
    sentence, cite = _told(function, where)
    said = Draft(acts=kind == "action", leads=kind == "progress")
    params = tuple(Binder(said.variable(sort), name) for name, sort in _sorts(function, where).items())
    handles = {param.name: param.var.sort(param.var) for param in params}
    token = drafts.set(said)
    try:
        with reading():
            result = function(state, **handles)
            body = _body(kind, result, function.__name__, where)
    finally:
        drafts.reset(token)
    guards = tuple(part for term in said.requires for part in conjuncts(term))
    _speaks_of_elements(said, body, where)
    clause = (Progress if isinstance(result, Leads) else Clause)(
        kind=kind,
        name=function.__name__,
        sentence=sentence.removesuffix(".") if kind == "definition" else sentence,
        cite=cite,
        params=params,
        body=body or conjunction(guards),
        requires=guards,
        assumes=tuple(said.assumes),
        updates=tuple(said.updates),
        where=where,
        **_way(result, said, where),
    )
    _closed(clause)
    return clause


def _told(function: Callable[..., Any], where: str) -> tuple[str, str]:
    """The sentence and the citation of a docstring."""
    sentence, _, cite = inspect.cleandoc(function.__doc__ or "").partition("\n\n")
    if not sentence:
        raise AuthorMistake(f"{function.__name__} has no docstring", "Its first line says it in English", where)
    return " ".join(sentence.split()), " ".join(cite.split())


def _sorts(function: Callable[..., Any], where: str) -> dict[str, type[Sort]]:
    names = list(inspect.signature(function).parameters)[1:]
    said = {name: hint for name, hint in function.__annotations__.items() if name in names}
    try:
        hints = get_type_hints(SimpleNamespace(__annotations__=said), function.__globals__)
    except NameError as error:
        advice = "Define sorts at the top of a module, before the text"
        raise AuthorMistake(f"{function.__name__}'s parameter: {error}", advice, where) from None
    sorts = {name: hints.get(name) for name in names}
    for name, sort in sorts.items():
        if not (isinstance(sort, type) and issubclass(sort, Sort)):
            raise AuthorMistake(
                f"{function.__name__}'s parameter {name} is of no sort", "Annotate it with a class below Sort", where
            )
    return {name: sort for name, sort in sorts.items() if sort is not None}


def _body(kind: Kind, result: object, name: str, where: str) -> Term | None:
    """The formula that a clause returns; None for an action."""
    if kind == "action" and result is not None:
        raise AuthorMistake(f"{name} is an action and returns {result!r}", "Wrap its guards in require()", where)
    if kind == "progress" and not isinstance(result, Leads):
        raise AuthorMistake(f"{name} returns {result!r}", "A clause marked @progress returns leads(..., to=...)", where)
    if isinstance(result, Leads) and kind == "progress":
        return result.awaited
    if kind != "action" and not isinstance(result, Bool):
        raise AuthorMistake(f"{name} returns {result!r}", f"A clause marked @{kind} returns a formula", where)
    return None if result is None else as_term(result, "bool")


def _way(result: object, said: Draft, where: str) -> dict[str, Any]:
    """Of progress: from where to where it leads, and by what work.

    Raises:
        AuthorMistake: nothing is sure to be left as long as the end is not reached, or too much is.
    """
    if not isinstance(result, Leads):
        return {}
    last = said.works[-1:]
    sure = [work for work in said.works if work.left is None]
    if not last or last != sure or last[0].over:
        raise AuthorMistake(
            "the last work must reach the end, and work before it must end before that",
            "Name work(action, ..., left=...) for each kind of work, and at last one action without left=, in no loop",
            where,
        )
    return {"start": result.start, "end": result.end, "works": tuple(said.works)}


def _speaks_of_elements(said: Draft, body: Term | None, where: str) -> None:
    """Refuse what is no element of the text's sorts: a truth value that Python found, or the columns of a row."""
    conditions = (update.when for update in said.updates if update.when is not None)
    returned = () if body is None else (body,)
    left = (work.left for work in said.works if work.left is not None)
    for term in (*returned, *said.requires, *said.assumes, *conditions, *left):
        for part in walk(term):
            if isinstance(part, Lit | Param | Field | Col | Var | Count | Lookup | Agg | Along):
                raise AuthorMistake(
                    f"{part} is no element of a sort",
                    "Compare elements with == and !=, never with 'is'; rules over rows are no part of a protocol text",
                    where,
                )


def _closed(clause: Clause) -> None:
    """Refuse a clause in which a loop's variable is used after the loop."""
    params = frozenset(param.var.number for param in clause.params)
    terms = (clause.body, *clause.requires, *clause.assumes)
    loose = [found for term in terms for found in free(term, params)]
    works = clause.works if isinstance(clause, Progress) else ()
    repeated = [(update.over, update.row, update.when) for update in clause.updates]
    repeated += [(work.over, work.args, work.left) for work in works]
    for over, row, condition in repeated:
        inside = params | {binder.var.number for binder in over}
        ranges = tuple(binder.within for binder in over if binder.within is not None)
        said = (*row, *ranges, *(() if condition is None else (condition,)))
        loose += [found for term in said for found in free(term, inside)]
    for var in loose:
        raise AuthorMistake(
            f"a {var.sort.__name__} of a loop is used outside of its loop",
            "A loop's variable stands for any element only inside the loop, and the loop must run to its end",
            clause.where,
        )


def free(term: Term, bound: frozenset[int] = frozenset()) -> Iterator[Bound]:
    """The variables of a term that none of its binders draws."""
    match term:
        case Bound(number, _):
            if number not in bound:
                yield term
        case Quantified(_, over, body):
            inside = bound | {binder.var.number for binder in over}
            for binder in over:
                if binder.within is not None:
                    yield from free(binder.within, inside)
            yield from free(body, inside)
        case _:
            for child in children(term):
                yield from free(child, bound)
