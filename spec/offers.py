"""Offers: what installed packages add to quorate, each an entry point that is called as the thing it gives.

A package is imported only when something of it is asked for by name, or all are listed; so one that is broken stands in
the way of nothing else.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from traceback import extract_tb
from typing import Any

from spec.language.refusals import AuthorMistake


class BrokenPackage(ImportError):
    """A package cannot give what it offers.

    Attributes:
        what: the offer, by its group and name.
        why: the error that came of it, or what it is instead.
        advice: what to try.
    """

    def __init__(self, point: EntryPoint, why: str, advice: str) -> None:
        self.what, self.why, self.advice = f"{point.value}, the entry point {point.name} of {point.group}", why, advice
        super().__init__(f"{self.what}: {why}")


def names(group: str, own: Iterable[str] = ()) -> tuple[str, ...]:
    """What quorate has of its own, and what packages offer in a group, by name; nothing is imported."""
    return tuple(dict.fromkeys((*own, *(point.name for point in _points(group)))))


def offered(group: str, name: str, called: str = "name", take: Callable[[Any], Any] = lambda thing: thing) -> Any:
    """What a package offers under a name; None if none does.

    Args:
        group: the group of entry points.
        name: the name of the entry point, which the thing must have itself.
        called: the attribute by which it has it.
        take: what is done with it; if that refuses it, the package is broken.

    Raises:
        BrokenPackage: it cannot be imported, is called something else, or is refused.
    """
    for point in _points(group):
        if point.name != name:
            continue
        try:
            found = point.load()
            itself = getattr(found, called, None)
            if itself == name:
                return take(found)
        except Exception as error:
            raise BrokenPackage(point, _said_by(error), "mend the package, or uninstall it") from error
        raise BrokenPackage(point, f"its {called} is {itself!r}", "give the entry point the same name")
    return None


def _points(group: str) -> tuple[EntryPoint, ...]:
    return _found(group, tuple(sys.path))


@lru_cache
def _found(group: str, _path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """The entry points of a group; to look for them takes milliseconds."""
    return tuple(entry_points(group=group))


def _said_by(error: Exception) -> str:
    """An error, and where it was raised: a mistake of an author says itself where he made it."""
    said = f"{type(error).__name__}: {error}"
    *_, last = extract_tb(error.__traceback__)
    return said if isinstance(error, AuthorMistake) else f"{said} ({last.filename}:{last.lineno})"
