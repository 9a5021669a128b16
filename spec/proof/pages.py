"""The reference page of quorum theory, in Markdown: every theorem with its hypotheses, its claim and its source."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Final

from spec.language.definition import Definition
from spec.language.notation import Notation
from spec.language.terms import Term
from spec.ledger import coverage
from spec.log.family import DEFINITIONS
from spec.proof.prove import CHAPTERS
from spec.proof.theorems import Theorem

COVERAGE: Final = tuple(found for found in vars(coverage).values() if isinstance(found, Definition))
"""The definitions of ledgers."""

NOTATION: Final = Notation((*DEFINITIONS, *COVERAGE), unfolds=False)
"""Formulas with the definitions of quorums said by name."""


def page() -> str:
    """Markdown of all chapters."""
    lines = [
        "# Quorum theory",
        "",
        "What holds of f-majorities, copysets and ack quorums, for any number of nodes and domains unless a theorem",
        "says otherwise; and what does not follow, though documents suggest it. Prove it: `quorate prove 'quorum.*'`.",
        "",
    ]
    for title, module in CHAPTERS.items():
        lines += [f"## {title}", "", inspect.cleandoc(module.__doc__ or "").partition("\n")[0], ""]
        lines += [line for one in vars(module).values() if isinstance(one, Theorem) for line in _theorem(one)]
    return "\n".join(lines)


def _theorem(theorem: Theorem) -> Iterator[str]:
    follows = "**Does not follow:** " if theorem.refutable else ""
    yield from (f"### {theorem.id}", "", f"{follows}{theorem.sentence}", "", "```text")
    for term in theorem.hypotheses.values():
        yield from _said("given", term)
    yield from _said("claim", theorem.claim)
    yield from ("```", "", f"*{theorem.cite}*", "")


def _said(word: str, term: Term) -> Iterator[str]:
    """A formula behind a word, on several lines where it is long."""
    for number, line in enumerate(NOTATION.lines(term)):
        yield f"{word if number == 0 else '':8}{line}"
