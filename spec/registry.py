"""Every family by name and every rule by id: the table of contents of the specification, in reading order.

A family of somebody else is found by its name, as an entry point of the group ``quorate.families``.
"""

from __future__ import annotations

import copyreg
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from typing import Any, Final

from spec.language.declare import Rowset
from spec.language.events import layout
from spec.language.family import Family
from spec.language.orders import POSITIONS
from spec.language.refusals import AuthorMistake
from spec.language.rule import Rule
from spec.language.well_declared import refuse_left_out
from spec.ledger.family import LEDGER
from spec.log.family import LOG
from spec.near import did_you_mean
from spec.offers import BrokenPackage, names, offered
from spec.segment.family import SEGMENT

GROUP: Final = "quorate.families"
"""The group of entry points at which packages offer families."""

DEFAULT: Final = LOG
"""The family of traces whose header names none."""

FAMILIES: Final[dict[str, Family]] = {family.name: family for family in (LOG, LEDGER, SEGMENT)}
"""The families that are known, by name."""

RULES: Final[tuple[Rule, ...]] = LOG.rules
"""The rules of logs, in reading order."""

BY_ID: Final[dict[str, Rule]] = {rule.id: rule for family in FAMILIES.values() for rule in family.rules}
"""All rules of all families by id."""


def known_rule(identifier: str) -> Rule:
    """The rule of this id.

    Raises:
        KeyError: there is none.
    """
    return BY_ID[identifier]


def _pickled(rule: Rule) -> str | tuple[Any, ...]:
    """A rule that is known is pickled as its id, so that whoever gets it has his own, and what he worked out for it."""
    return (known_rule, (rule.id,)) if BY_ID.get(rule.id) is rule else object.__reduce_ex__(rule, 2)


class NoSuchFamily(LookupError):
    """No family has this name."""


class UnknownRule(LookupError):
    """No rule has this id, or none matches this pattern; the message names near ones."""


def register(family: Family) -> Family:
    """Make a family known.

    Raises:
        AuthorMistake: another one has its name, or the id of one of its rules; or a position of one is a column of the
            other; or a rule of its modules stands in no chapter.
    """
    if FAMILIES.get(family.name, family) is not family:
        raise AuthorMistake(f"there is a family {family.name!r} already", "Choose another name")
    for rule in family.rules:
        if BY_ID.get(rule.id, rule) is not rule:
            raise AuthorMistake(f"there is a rule {rule.id!r} already", "Begin its id with the name of the family")
    if family.name not in FAMILIES:
        refuse_left_out(family.name, family.events, family.rules)
        _refuse_mixed(family)
    FAMILIES[family.name] = family
    BY_ID.update({rule.id: rule for rule in family.rules})
    return family


def _refuse_mixed(family: Family) -> None:
    """Make sure that no column of one family is called as a position of another: all readings tell them by name.

    Raises:
        AuthorMistake: one is.
    """
    for one in (family, *FAMILIES.values()):
        for column in layout(one.events).values():
            made = POSITIONS.get(column.name)
            if made is None or column.computed or column.name in made.parts:
                continue
            if one is not family:
                del POSITIONS[column.name]
            what = f"column {column.name} of the family {one.name} is a position, made of {made.high} and {made.low}"
            raise AuthorMistake(what, "Choose another name in the new family")


def family_named(name: str) -> Family:
    """The family that a trace's header names.

    Raises:
        NoSuchFamily: there is none.
        BrokenPackage: a package offers it and cannot give it.
    """
    if name not in FAMILIES and offered(GROUP, name, take=register) is None:
        known = ", ".join(names(GROUP, FAMILIES))
        raise NoSuchFamily(f"no family is called {name!r:.40}: known are {known}")
    return FAMILIES[name]


def load_families() -> list[BrokenPackage]:
    """Make known what families packages offer; gives what is wrong with those that cannot give theirs."""
    broken: list[BrokenPackage] = []
    for name in names(GROUP):
        try:
            family_named(name)
        except BrokenPackage as error:
            broken.append(error)
    return broken


def every_family() -> Iterator[Family]:
    """All families.

    Raises:
        BrokenPackage: in the end, if a package cannot give the family that it offers.
    """
    broken = load_families()
    yield from FAMILIES.values()
    if broken:
        raise broken[0]


copyreg.pickle(Family, lambda family: (family_named, (family.name,)))
copyreg.pickle(Rule, _pickled)


def family_of(rows: type[Rowset]) -> Family:
    """The family whose events make the rows of a view or a dimension.

    Raises:
        NoSuchFamily: none that is registered.
    """
    for family in FAMILIES.values():
        if issubclass(rows.events, family.events):
            return family
    raise NoSuchFamily(f"{rows.__name__} is made of events of no family that is registered")


def select(patterns: Iterable[str] = ()) -> list[Rule]:
    """The rules of all families whose ids match any of the patterns (``*`` and ``?`` allowed); all without a pattern.

    Raises:
        UnknownRule: a pattern matches nothing.
        BrokenPackage: a pattern matches nothing, and a package cannot give the family that it offers.
    """
    wanted, broken = list(patterns), load_families()
    for pattern in wanted:
        if not any(fnmatchcase(name, pattern) for name in BY_ID):
            if broken:
                raise broken[0]
            hint = did_you_mean(pattern, BY_ID, "`quorate rules` lists them all")
            raise UnknownRule(f"no rule matches {pattern!r}: {hint}")
    return [rule for rule in BY_ID.values() if not wanted or any(fnmatchcase(rule.id, pattern) for pattern in wanted)]
