"""Folding: what a formula says of several location scopes, one after the other, is said once.

A rule spells out ``for scope in SCOPES``, because every engine needs it so; people do not. Texts carry a mark around
the name of a scope, so that a column that is called ``rack`` is not taken for one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from spec.language.scopes import SCOPES

MARK: Final = "\x00"


def marked(scope: str) -> str:
    """A scope's name, marked."""
    return f"{MARK}{scope.replace('_', ' ')}{MARK}"


def unmarked(text: str) -> str:
    """The text for people."""
    return text.replace(MARK, "")


@dataclass(frozen=True)
class AlikeParts:
    """One or more parts of a formula that are alike but for the scope.

    Attributes:
        first: which part is the first of them.
        head: what is said before it, such as ``∀ scope``; empty for a part that stands for itself.
        scope: the first part's own scope, marked, and the word that stands for it.
    """

    first: int
    head: str = ""
    scope: tuple[str, str] = ("", "")

    def generalized(self, text: str) -> str:
        """What is said of the first part, with the word in place of the scope."""
        return text.replace(*self.scope) if self.head else text


def fold(parts: Sequence[str], quantifier: str) -> list[AlikeParts]:
    """The parts of a conjunction (``∀``) or disjunction (``∃``), those alike but for the scope only once."""
    found: list[AlikeParts] = []
    at = 0
    while at < len(parts):
        runs = [_run(parts[at:], number, at, quantifier) for number in range(len(SCOPES))]
        length, part = max(runs, key=lambda run: (run[0], bool(run[1].head)))
        found.append(part)
        at += length
    return found


def _run(parts: Sequence[str], scope: int, at: int, quantifier: str) -> tuple[int, AlikeParts]:
    """How many of the parts, from the first on, are alike but for this scope and the next ones, and how to say them."""
    own = marked(SCOPES[scope])
    alike = takewhile(
        lambda pair: own in parts[0] and pair[0].replace(marked(pair[1]), own) == parts[0],
        zip(parts, SCOPES[scope:], strict=False),
    )
    length = sum(1 for _ in alike)
    last = scope + length - 1
    if last == len(SCOPES) - 1 and scope and marked(SCOPES[scope - 1]) in parts[0]:
        return length, AlikeParts(at, f"{quantifier} larger", (own, marked("larger")))
    if length <= 1:
        return 1, AlikeParts(at)
    bounds = "" if length == len(SCOPES) else f" from {own} to {marked(SCOPES[last])}"
    return length, AlikeParts(at, f"{quantifier} scope{bounds}", (own, marked("scope")))
