"""Every rule by id: the table of contents of the specification, in reading order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from fnmatch import fnmatchcase
from types import ModuleType
from typing import Final

from spec.client import appending as client_appending
from spec.client import reading as client_reading
from spec.language.rule import Rule
from spec.log import (
    appending,
    deciding,
    delivery,
    greylisting,
    metadata,
    placing,
    planning,
    purging,
    reading,
    rebuilding,
    recovery,
    releasing,
    sequencing,
    staging,
    streaming,
    trimming,
)

CHAPTERS: Final[dict[str, tuple[ModuleType, ...]]] = {
    "What clients see": (client_appending, client_reading),
    "Sequencing": (sequencing,),
    "Appending": (appending, placing, staging, streaming),
    "Recovery": (
        recovery,
        deciding,
        planning,
        purging,
        metadata,
    ),
    "Releasing": (releasing,),
    "Reading": (reading,),
    "Delivery": (delivery, greylisting),
    "Trimming": (trimming,),
    "Rebuilding": (rebuilding,),
}
"""The modules whose rules make each chapter."""


class UnknownRule(LookupError):
    """No rule has this id, or none matches this pattern; the message names near ones."""


def rules_of(module: ModuleType) -> Iterator[Rule]:
    """The rules that a module defines, in the order in which they are written."""
    return (value for value in vars(module).values() if isinstance(value, Rule))


RULES: Final[tuple[Rule, ...]] = tuple(
    rule for modules in CHAPTERS.values() for module in modules for rule in rules_of(module)
)
"""All rules, in reading order."""

BY_ID: Final[dict[str, Rule]] = {rule.id: rule for rule in RULES}
"""All rules by id."""


def rules_with(promise: str) -> list[Rule]:
    """The rules that a promise brings into force; with "" those that are asked of any log."""
    return [rule for rule in RULES if rule.promise == promise]


def select(patterns: Iterable[str] = ()) -> list[Rule]:
    """The rules whose ids match any of the patterns (``*`` and ``?`` allowed); all of them without a pattern.

    Raises:
        UnknownRule: a pattern matches nothing.
    """
    wanted = list(patterns)
    for pattern in wanted:
        if not any(fnmatchcase(name, pattern) for name in BY_ID):
            near = get_close_matches(pattern, BY_ID, n=3, cutoff=0.4)
            hint = f"did you mean {', '.join(near)}?" if near else "`quorate rules` lists them all"
            raise UnknownRule(f"no rule matches {pattern!r}: {hint}")
    return [rule for rule in RULES if not wanted or any(fnmatchcase(rule.id, pattern) for pattern in wanted)]
