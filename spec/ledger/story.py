"""How the events of ledgers are told to people: a ledger's life, entry by entry, and then what checks made of it."""

from __future__ import annotations

from typing import Final

from spec.language.story import Lanes, Plot, Saying, Story, Telling
from spec.ledger.events import (
    Acknowledged,
    Checked,
    Closed,
    Counted,
    Created,
    Deleted,
    EnsembleChanged,
    Fenced,
    Given,
    Heard,
    InRecovery,
    Listed,
    Lost,
    Marked,
    MarkLooked,
    MetadataRead,
    Missing,
    Named,
    PlacementJudged,
    ReadBack,
    RecoveryBegan,
    Registration,
    Reported,
    Restored,
    Sent,
    StandingSeen,
    Stored,
    Unheard,
    Unmarked,
)
from spec.ledger.events.values import ADHERENCE, CATEGORIES, ENDINGS, PURPOSES, STATES


def _word(said: Saying, field: str, words: dict[str, int]) -> str:
    value = said.get(field)
    return next((word.replace("_", " ") for word, number in words.items() if number == value), str(value))


def _yes(said: Saying, field: str, yes: str, no: str) -> str:
    return yes if said.get(field) == 1 else no


PHRASES: Final = {
    "why": lambda said: _word(said, "purpose", PURPOSES),
    "wrong": lambda said: _word(said, "category", CATEGORIES),
    "as": lambda said: _word(said, "state", STATES),
    "meets": lambda said: _word(said, "adherence", ADHERENCE),
    "end": lambda said: _word(said, "ending", ENDINGS),
    "has": lambda said: _yes(said, "found", "has", "does not have"),
    "holds": lambda said: _yes(said, "present", "has", "does not have"),
    "fate": lambda said: _yes(said, "present", "registers", "loses its registration"),
    "seen": lambda said: _yes(said, "marked", "a mark", "no mark"),
    "standing": lambda said: _yes(said, "registered", "is registered", "is not registered"),
}
"""Words for parts of events."""

_METADATA: Final = (
    Telling(Registration, "{bookie} {fate}."),
    Telling(Created, "{ledger} is created: E {ensemble_size}, W {write_quorum}, A {ack_quorum}."),
    Telling(Named, "Version {version} names {bookie} as {member} from entry {entry} on."),
    Telling(EnsembleChanged, "{client} replaces {replaced} from entry {entry} on, version {version}."),
    Telling(InRecovery, "{client} puts {ledger} in recovery, version {version}."),
)

_ENTRIES: Final = (
    Telling(Sent, "{client} sends entry {entry} to {bookie} for {member}: {why}, {confirmed} confirmed."),
    Telling(Stored, "{bookie} stores entry {entry} for {member}: {why}."),
    Telling(Acknowledged, "{client} is told that entry {entry} is safe with {counted}."),
    Telling(Fenced, "{bookie} fences {ledger}."),
    Telling(RecoveryBegan, "{client} recovers {ledger} from entry {entry} on; {answered} have answered."),
    Telling(ReadBack, "{bookie} tells {client} that it {has} entry {entry}."),
    Telling(Given, "{client} is given entry {entry}, with {confirmed} confirmed."),
    Telling(Missing, "{client} is told that there is no entry {entry}."),
    Telling(Lost, "{bookie} loses entry {entry}."),
    Telling(Closed, "{client} closes {ledger}: its end is entry {entry}, version {version}."),
)

_REPAIR: Final = (
    Telling(Marked, "{ledger} is marked under-replicated: {replicas}."),
    Telling(Restored, "{bookie} takes the place of {lost} as {member} from entry {entry} on."),
    Telling(Unmarked, "The mark of {ledger} is taken away."),
    Telling(Deleted, "{ledger} is deleted."),
)

_CHECKS: Final = (
    Telling(MarkLooked, "Run {run} sees {seen}."),
    Telling(MetadataRead, "Run {run} reads version {version}: {as}."),
    Telling(PlacementJudged, "Run {run} judges the ensemble from entry {entry} on: {meets}."),
    Telling(Heard, "{bookie} sends run {run} a list of {groups} groups."),
    Telling(Unheard, "{bookie} gives run {run} no answer."),
    Telling(Listed, "{bookie} tells run {run} that it {holds} entry {entry} for {member}."),
    Telling(StandingSeen, "Run {run} sees that {bookie} {standing}."),
    Telling(Reported, "Run {run} reports: {wrong}, entry {entry}."),
    Telling(Checked, "The check of {ledger} in run {run} ends: {end}."),
    Telling(Counted, "Run {run} counts {number} of: {wrong}."),
)

STORY: Final = Story(
    first=(*_METADATA, *_ENTRIES, *_REPAIR, *_CHECKS),
    phrases=PHRASES,
    lanes=Lanes(order=()),
    plot=Plot(identity="digest"),
    asking=frozenset({"client"}),
    serving=frozenset({"bookie"}),
)
"""Each recorder has a lane of its own."""
