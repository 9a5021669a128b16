"""The page of the rule language: what an author may write, as the docstrings of its words say it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any, Final

from spec.language import declare, events, handles, orders, quantifiers
from spec.language.handles import Bool, Factors, Int, Set
from spec.language.parameters import PARAMETERS

HEAD: Final = """# The rule language

<!-- Generated from spec/language by tests/test_reference.py. Do not edit. -->

A rule is a function over one row of a view that gives a formula. [Declare a family](../how-to/declare-a-family.md)
shows one from end to end; this page lists all words. Formulas are read by several engines, so Python decides nothing in
them: write `&`, `|`, `~` and `.implies()` for `and`, `or`, `not` and `if`, and `(a < b) & (b < c)` for `a < b < c`.

## What is unknown

A field that its recorder did not know is NULL. An operation on NULL is NULL, but false and NULL is false, and true or
NULL is true. A rule that comes to NULL is *unknown* of its row; where the left side of its outermost `.implies()` is
false, the row is no instance of it. Of an aggregate, one event that does not know its value makes all unknown; `any_of`
is settled by one event that is there.

## Rows

`class V(View, one_per=(...))` has one row for each value of its key, `each=(...)` one for each event, and
`class D(Dimension, by=(...))` is a small table that rows look up. The class of the **first field of the key** says
which events make rows: aggregates ask for these, or for some of them. An event that does not know a part of its key
makes no row. Rows stand in the order of the key, and neighbours are looked for in it: a partition is made of key
columns, of all that do not follow the order of the trace, and of the partition of the trace. In a view with `each=`
that looks at neighbours, the key must tell apart what several recorders saw at one position.
"""

OPERATORS: Final = """| | |
|---|---|
| `a & b`, `a \\| b`, `~a`, `a.implies(b)` | of truth values |
| `==`, `!=`, `<`, `<=`, `>`, `>=`, `+`, `-` | of numbers: 64 bits with sign, and a sum that does not fit is refused |
| `a & b`, `a \\| b`, `a - b`, `a <= b` | of sets: meet, join, difference, subset |"""

Word = Callable[..., Any]

SECTIONS: Final[dict[str, tuple[tuple[str, Word], ...]]] = {
    "Fields of events": tuple(
        (word.__name__, word)
        for word in (events.number, events.small, events.member, events.members, events.factors, events.demand)
    ),
    "Positions": tuple((word.__name__, word) for word in (orders.declared, orders.plain)),
    "What the events of a row say": tuple(
        (word.__name__, word)
        for word in (
            *(declare.any_of, declare.count_of, declare.min_of, declare.max_of, declare.only_of),
            *(declare.all_same, declare.set_of, declare.union_of, declare.common_of),
        )
    ),
    "What other rows of the partition say": tuple(
        (f"along(...).{word.__name__}", word)
        for word in (
            *(declare.along.previous, declare.along.latest, declare.along.next),
            *(declare.along.highest, declare.along.lowest),
        )
    ),
    "What a table says": (("D.at", declare.Dimension.at.__func__),),  # type: ignore[attr-defined]  # a class method
    "Truth values": (("known", handles.known), ("alike", handles.alike), (".implies", Bool.implies)),
    "Numbers": (
        *((f".{word.__name__}", word) for word in (Int.is_, Int.when, Int.not_after)),
        *((word.__name__, word) for word in (handles.high, handles.first, handles.last, handles.parameter)),
    ),
    "Sets": (
        *((f".{word.__name__}", word) for word in (Set.size, Set.is_empty)),
        *((word.__name__, word) for word in (handles.one_of, handles.window)),
        (".at", Factors.at),
    ),
    "Domains": tuple(
        (word.__name__, word)
        for word in (quantifiers.domains, quantifiers.count, quantifiers.every, quantifiers.some, quantifiers.none)
    ),
}
"""All words, as they are written, in the order in which they are told."""


def page() -> str:
    """The page as Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield HEAD
    yield f"## Operators\n\n{OPERATORS}"
    for title, words in SECTIONS.items():
        yield f"\n## {title}\n"
        for written, word in words:
            yield f"- `{written}({_arguments(word)})`: {_said(word)}"
    yield f"\nNumbers of a header that `parameter` may name: {', '.join(f'`{name}`' for name in PARAMETERS)}."


def _arguments(word: Word) -> str:
    """The names of a word's arguments, without its own value."""
    given = [one for one in inspect.signature(word).parameters.values() if one.name not in ("self", "cls")]
    return ", ".join(f"{_stars(one)}{one.name}{'' if one.default is one.empty else '=...'}" for one in given)


def _stars(argument: inspect.Parameter) -> str:
    """What stands before an argument that takes several values."""
    return "*" if argument.kind is argument.VAR_POSITIONAL else "**" if argument.kind is argument.VAR_KEYWORD else ""


def _said(word: Word) -> str:
    """The first paragraph of a word's docstring, as one line."""
    text = inspect.cleandoc(word.__doc__ or "").split("\n\n")[0].replace("\n", " ")
    return text.replace("``", "`")
