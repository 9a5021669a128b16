"""Refusals: an author's mistake is reported where it was made, with the line and what to write instead."""

from __future__ import annotations

import re
import sys
from collections.abc import Container, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import FrameType
from typing import Final

_HERE = str(Path(__file__).parent)


class AuthorMistake(TypeError):
    """The text of a view, rule or event breaks the language's rules.

    Attributes:
        what: the mistake, in one clause.
        where: file and line of the author's text.
        advice: what to write instead.
    """

    def __init__(self, what: str, advice: str, where: str | None = None) -> None:
        self.what, self.advice = what, advice
        self.where = where or authors_line()
        super().__init__(f"{self.where}: {what}. {advice}")


NAME: Final = re.compile(r"[a-z_][a-z0-9_]*")
"""What fields and columns are called: engines of SQL fold capitals, and stop at other signs."""


def refuse_name(name: object, what: str, taken: Container[object] = ()) -> None:
    """Make sure that all engines can call something by its name.

    Raises:
        AuthorMistake: they cannot.
    """
    if name in taken:
        raise AuthorMistake(f"{what} is called {name}, which has a meaning of its own", "Choose another name")
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise AuthorMistake(f"{what} is called {name!r}", "Use lower-case letters from a to z, digits and _")


def authors_line(*beside: str) -> str:
    """File and line of the innermost frame outside the language itself, and outside these files."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - the only way to name the author's line
    while frame is not None and frame.f_code.co_filename.startswith((_HERE, "<", *beside)):
        frame = frame.f_back
    if frame is None:
        return "unknown line"
    path = Path(frame.f_code.co_filename)
    return f"{path.parent.name}/{path.name}:{frame.f_lineno}"


class Loose:
    """Formulas that were built and not used yet, while one rule is read."""

    def __init__(self) -> None:
        self.made: dict[int, tuple[object, str]] = {}

    def add(self, formula: object) -> None:
        """Remember a new formula and its line."""
        self.made[id(formula)] = (formula, authors_line())

    def use(self, formula: object) -> None:
        """The formula became part of another one, or the rule itself."""
        self.made.pop(id(formula), None)


_reading: ContextVar[Loose | None] = ContextVar("reading", default=None)


def note_made(formula: object) -> None:
    """A formula was built."""
    if (loose := _reading.get()) is not None:
        loose.add(formula)


def note_used(formula: object) -> None:
    """A formula was used."""
    if (loose := _reading.get()) is not None:
        loose.use(formula)


@contextmanager
def reading() -> Iterator[None]:
    """Read one rule's text; refuse it if a formula was left lying about.

    Raises:
        AuthorMistake: a formula has no effect on what the rule returns.
    """
    loose = Loose()
    token = _reading.set(loose)
    try:
        yield
    finally:
        _reading.reset(token)
    for _, where in loose.made.values():
        raise AuthorMistake(
            "a formula here has no effect",
            "Join it to what the rule returns with &, or delete it; one that is used twice needs no copy",
            where,
        )
