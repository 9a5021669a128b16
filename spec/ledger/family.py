"""The family of ledgers: what BookKeeper's clients, bookies, replicators and checkers do, as its sources say it."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Final

from spec.language.definition import Definition
from spec.language.family import Family, chapters_of
from spec.language.notation import Notation
from spec.language.prose import Prose
from spec.ledger import coverage
from spec.ledger.events import Event
from spec.ledger.events.universes import BOOKIES, CLIENTS, LEDGERS
from spec.ledger.events.values import ADHERENCE, CATEGORIES, ENDINGS, PURPOSES, STATES
from spec.ledger.rules import adding, checking, listing, metadata, placing, reading, recovering, repairing
from spec.ledger.story import STORY

CHAPTERS: Final[dict[str, tuple[ModuleType, ...]]] = {
    "Ledger metadata": (metadata,),
    "Adding entries": (adding,),
    "Recovering ledgers": (recovering,),
    "Reading entries": (reading,),
    "Repairing ledgers": (repairing,),
    "Checking metadata": (listing, checking, placing),
}
"""The modules whose rules make each chapter."""

DEFINITIONS: Final[tuple[Definition[..., Any], ...]] = tuple(
    value for value in vars(coverage).values() if isinstance(value, Definition)
)
"""The definitions that formulas name."""

CALLED: Final = {"window": "members", "high": "entry", "first": "first_copy", "last": "last_copy"}
"""What pages call operations."""


def _upper(words: dict[str, int]) -> dict[int, str]:
    return {number: word.upper() for word, number in words.items()}


WORDS: Final = {
    "purpose": _upper(PURPOSES),
    "state": _upper(STATES),
    "category": _upper(CATEGORIES),
    "adherence": _upper(ADHERENCE),
    "ending": _upper(ENDINGS),
}
"""What the numbers of some fields are called."""

ROLES: Final = {
    "metadata": "keeps the metadata and marks of ledgers, and who is registered; it records their changes",
    "bookie": "stores entries; it records what it stores, fences and loses",
    "client": "writes, recovers or reads ledgers; it records what it sends, and what it is told",
    "checker": "looks for ledgers that lack copies; it records what it asks, is told and reports",
    "importer": "turned a recording into a trace; it records what it concluded",
}
"""Who may write events down."""


LEDGER: Final = Family(
    name="ledger",
    what="ledgers whose entries are striped over ensembles of bookies",
    events=Event,
    story=STORY,
    universes=(BOOKIES, LEDGERS, CLIENTS),
    chapters=chapters_of(CHAPTERS),
    prose=Prose(Notation(DEFINITIONS, WORDS, CALLED)),
    roles=ROLES,
)
