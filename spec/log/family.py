"""The family of logs with epochs: what their clients see, and what their nodes do, as LogDevice says it."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Final

from spec.client import appending as client_appending
from spec.client import reading as client_reading
from spec.client.anomalies import ANOMALIES
from spec.client.bookkeeping import BOOKKEEPING
from spec.events import BRIDGE, GAP_KINDS, HOLE, RECORD, Event
from spec.events.positions import CALLED
from spec.events.universes import LOGS, NODES, READERS, WRITERS
from spec.language.bookkeeping import BOOKS
from spec.language.definition import Definition
from spec.language.family import Family, chapters_of
from spec.language.notation import Notation
from spec.language.prose import Prose
from spec.log import (
    appending,
    deciding,
    delivery,
    greylisting,
    metadata,
    placing,
    planning,
    purging,
    quorum,
    reading,
    rebuilding,
    recovery,
    releasing,
    replication,
    sequencing,
    staging,
    streaming,
    trimming,
)
from spec.log.story import STORY
from spec.promises import ANNOTATIONS, PROMISES

CHAPTERS: Final[dict[str, tuple[ModuleType, ...]]] = {
    "What clients see": (client_appending, client_reading),
    "Sequencing": (sequencing,),
    "Appending": (appending, placing, staging, streaming),
    "Recovery": (recovery, deciding, planning, purging, metadata),
    "Releasing": (releasing,),
    "Reading": (reading,),
    "Delivery": (delivery, greylisting),
    "Trimming": (trimming,),
    "Rebuilding": (rebuilding,),
}
"""The modules whose rules make each chapter."""

DEFINITIONS: Final[tuple[Definition[..., Any], ...]] = tuple(
    value for module in (replication, quorum) for value in vars(module).values() if isinstance(value, Definition)
)
"""The definitions that formulas name."""

WORDS: Final = {
    "reason": {number: word.upper() for word, number in GAP_KINDS.items()},
    "becomes": {RECORD: "RECORD", HOLE: "HOLE", BRIDGE: "BRIDGE"},
}
"""What the numbers of some fields are called."""

ROLES: Final = {
    "node": "stores: a shard, or a host with several; it records what it is told, holds and sends",
    "sequencer": "gives out LSNs, where that is nobody else's office",
    "client": "appends or reads; it records what it asks, and what it is told",
    "reader": "a client that only reads",
    "controller": "steers, or sees everything: epochs, recoveries, releases, faults",
    "importer": "turned a recording into a trace; it records what it concluded",
    BOOKS: "is quorate itself, which adds what follows from the events of clients when it sorts a trace",
}
"""Who may write events down."""


LOG: Final = Family(
    name="log",
    what="logs whose records lie at an epoch and a number within it, on several nodes",
    events=Event,
    story=STORY,
    universes=(NODES, LOGS, WRITERS, READERS),
    chapters=chapters_of(CHAPTERS),
    prose=Prose(Notation(DEFINITIONS, WORDS, CALLED), PROMISES, ANOMALIES),
    promises=PROMISES,
    annotations=ANNOTATIONS,
    roles=ROLES,
    books=BOOKKEEPING,
)
