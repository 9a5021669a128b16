"""The family of segment layers: channels that lie on nodes, iterators and writers that span them."""

from __future__ import annotations

from types import ModuleType
from typing import Final

from spec.language.family import Family, chapters_of
from spec.language.notation import Notation
from spec.language.prose import Prose
from spec.segment import calling, closing, gossip, keys, locking, opening, reading, writing
from spec.segment.events import Event
from spec.segment.events.universes import CHANNELS, NODES, SESSIONS
from spec.segment.events.values import OPERATIONS
from spec.segment.promises import PROMISES
from spec.segment.story import STORY

CHAPTERS: Final[dict[str, tuple[ModuleType, ...]]] = {
    "Channels": (keys, gossip),
    "Iterators and writers": (opening, closing),
    "Calls": (calling,),
    "Reading segments": (reading,),
    "Writing segments": (locking, writing),
}
"""The modules whose rules make each chapter."""

WORDS: Final = {"op": {number: word.upper() for word, number in OPERATIONS.items()}}
"""What the numbers of some fields are called."""

CALLED: Final = {"high": "leaseholder"}
"""What pages call the operations on positions."""

ROLES: Final = {
    "node": "stores segments, executes requests, keeps locks; one recorder for each node",
    "gateway": "has iterators and writers opened, and counts acknowledgements",
    "client": "calls iterators and writers, and takes what they give",
    "controller": "sees everything: who joins and dies, what metadata say",
}
"""Who may write events down."""

SEGMENT: Final = Family(
    name="segment",
    what="channels of samples that lie on one node each, and iterators and writers that span nodes",
    events=Event,
    story=STORY,
    universes=(NODES, CHANNELS, SESSIONS),
    chapters=chapters_of(CHAPTERS),
    prose=Prose(Notation((), WORDS, CALLED), PROMISES),
    promises=PROMISES,
    roles=ROLES,
)
