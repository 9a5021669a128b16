"""Reference pages of the protocol texts, in Markdown: what they speak about, what may happen, what is promised."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from typing import Final

from spec.language.protocol.clauses import KINDS, Clause, Kind
from spec.language.protocol.prose import Prose
from spec.language.protocol.sorts import Family, Order, Sort
from spec.protocols.registry import Text

TITLES: Final[dict[Kind, str]] = {
    "definition": "Words",
    "axiom": "Known",
    "action": "What may happen",
    "goal": "Promised",
    "progress": "In the end",
    "invariant": "Always",
    "lemma": "Hence",
}
"""The sections of a page, in their order, and the kind of clause that stands in each."""


def page(text: Text) -> str:
    """The page of a protocol text."""
    source = inspect.cleandoc(sys.modules[text.protocol.__module__].__doc__ or "")
    lines = [f"# {text.name.replace('_', ' ').capitalize()}", "", source, ""]
    lines += ["## What it speaks about", "", *(_sort(sort) for sort in text.protocol.sorts()), ""]
    lines += ["## State", "", "Empty at the start.", "", *_state(text), ""]
    for kind, title in TITLES.items():
        lines += _section(text, kind, title)
    if text.forms:
        lines += ["## Other right forms", "", "Each keeps all goals, as its proof says.", ""]
        lines += [f"- `{name}`: {_first(form)}" for name, form in text.forms.items()] + [""]
    if text.variants:
        lines += [
            "## Wrong forms",
            "",
            "Each is refuted by proof, and by a shortest run where one breaks a goal or waits for ever.",
            "",
        ]
        lines += [f"- `{name}`: {_first(form)}" for name, form in text.variants.items()] + [""]
    bounds = " ".join(f"--{name} {default}" for name, default in text.bounds.items())
    lines += [f"Explore it: `quorate explore {text.name} {bounds}`. Prove it: `quorate prove {text.name}`.", ""]
    return "\n".join(lines)


def _section(text: Text, kind: Kind, title: str) -> Iterator[str]:
    protocol = text.protocol
    clauses = list(protocol.definitions.values()) if kind == "definition" else protocol.of_kind(kind)
    if not clauses:
        return
    yield from (f"## {title}", "", f"{KINDS[kind][:1].upper()}{KINDS[kind][1:]}.", "")
    for clause in clauses:
        yield from _clause(clause, Prose(protocol))


def _clause(clause: Clause, prose: Prose) -> Iterator[str]:
    first, *rest = prose.clause(clause)
    yield from (f"### {clause.name}", "", f"{first}{'.' if clause.kind == 'definition' else ''}", "")
    yield from (f"- {line.strip()}" for line in rest)
    yield from ([""] if rest else [])
    yield from (f"*{clause.cite}*", "")


def _sort(sort: type[Sort]) -> str:
    kind = (
        f"sets of {sort.element.__name__}"
        if issubclass(sort, Family)
        else "in a total order"
        if issubclass(sort, Order)
        else ""
    )
    named = [name for name in sort.constants if not issubclass(sort, Order)]
    more = "; ".join(filter(None, [kind, f"among them {' and '.join(named)}" if named else ""]))
    return f"- **{sort.__name__}**{f' ({more})' if more else ''}: {_first(sort)}"


def _state(text: Text) -> Iterator[str]:
    for relation in text.protocol.relations.values():
        said = relation.phrase.format(*(f"*{sort.__name__.lower()}*" for sort in relation.sorts))
        yield f"- `{relation}`{', a partial function' if relation.functional else ''}: {said}."


def _first(thing: type) -> str:
    return inspect.cleandoc(thing.__doc__ or "").partition("\n\n")[0].replace("\n", " ")
