"""What rules say more than once gets a column of its own: less to compute, and code that engines still compile.

Java compiles a method of more than 8000 bytes only if it is told to, and a long one late; a definition such as an
f-majority, spelt out wherever a rule uses a part of it, is several times as long.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final

from spec.language.declare import Dimension, View
from spec.language.sql.events import Trace
from spec.language.sql.rows import RowWriter, joined
from spec.language.sql.rowsets import names
from spec.language.sql.stages import Stages
from spec.language.terms import Col, Count, Lookup, Op, Term, Var, children, leaves, walk
from spec.language.vocabulary import FACTOR, sort_of

WORTH: Final = frozenset({"meet", "join", "minus", "subset", "size"})
"""Operations that are worth a column; a comparison of two columns is not."""

MAY_FAIL: Final = frozenset({"+", "-", "neg", "first", "last", "one", "window"})
"""Operations that an engine may refuse for want of bits: they stay where a rule asks for them, behind what is given."""


def with_shared(
    stages: Stages, terms: Iterable[Term], view: type[View], tables: Mapping[type[Dimension], str], trace: Trace
) -> RowWriter:
    """Add what the terms look up or read from bits, then what they share, innermost first; gives their writer."""
    asked = list(terms)
    plan, words = joined(stages, asked, view, tables, trace), trace.parameters.words
    made = plan.writer.made
    found = dict.fromkeys(lookup for term in asked for lookup in leaves(term, Lookup))
    found |= dict.fromkeys(col for term in asked for col in leaves(term, Col) if col.name in stages.written)
    for height, level in enumerate([list(found), *levels(asked)]):
        said = [term for term in level if not _is_of_nothing(term, trace)]
        columns = {term: names(*_name(term, len(made) + n), sort_of(term), words) for n, term in enumerate(said)}
        texts = [
            f"{text} AS {column}"
            for term, named in columns.items()
            for text, column in zip(plan.writer.if_there(term), named, strict=True)
        ]
        if texts and height:
            stages.add(f"shared_{height}", ["*", *texts])
        elif texts:
            stages.add("found", [plan.every, *texts], *plan.clauses, hint=plan.hint)
        made.update(columns)
    return plan.writer


def _name(term: Term, number: int) -> tuple[str, str]:
    """The prefix and the name of a term's column."""
    return ("c", term.name) if isinstance(term, Col) else ("t", str(number))


def levels(terms: Iterable[Term]) -> list[list[Term]]:
    """The terms that are written more than once, each after those that it is made of."""
    uses = Counter(terms)
    for term in _different(uses):
        times = 2 if isinstance(term, Count) or _is_bound(term) else 1  # once for each domain
        for child in children(term):
            uses[child] += times

    @cache
    def height(term: Term) -> int:
        below = max(map(height, children(term)), default=0)
        return below + (uses[term] > 1 and _is_worth_it(term))

    found: dict[int, list[Term]] = {}
    for term in uses:
        if uses[term] > 1 and _is_worth_it(term):
            found.setdefault(height(term), []).append(term)
    return [found[level] for level in sorted(found)]


def _different(terms: Iterable[Term]) -> list[Term]:
    """All different terms and subterms."""
    return list(dict.fromkeys(found for term in terms for found in walk(term)))


def _is_bound(term: Term) -> bool:
    """Is this a part of what a count says of one domain, so that it has no value outside?"""
    found = list(walk(term))
    return any(isinstance(part, Var) for part in found) and not any(isinstance(part, Count) for part in found)


def _is_of_nothing(term: Term, trace: Trace) -> bool:
    """Is this a count over a scope that the topology does not name, which is plain zero?"""
    return isinstance(term, Count) and not trace.parameters.domains_of(term.scope)


def _is_worth_it(term: Term) -> bool:
    """May and should this term have a column?"""
    said = {found.name for found in walk(term) if isinstance(found, Op)}
    costly = not said.isdisjoint(WORTH) or any(name.startswith(FACTOR) for name in said)
    return isinstance(term, Op | Count) and costly and said.isdisjoint(MAY_FAIL) and not _is_bound(term)
