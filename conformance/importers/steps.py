"""Steps: what plain clients did with logs, and were told, before it becomes events.

A position in a log is one number, an offset. Each form of recording is read into steps; how steps become events is said
once, in ``conformance.importers.notebook``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from conformance.importers.lines import Line


class Did(Enum):
    """What a client did, or was told; the word of the vocabulary, if there is an event for it."""

    INVOKED = "invoke"
    ACKNOWLEDGED = "ack"
    REFUSED = "fail"
    UNKNOWN = "indefinite"
    BEGAN_AT = "read"
    GIVEN = "deliver"
    TOLD_OF_NOTHING = "gap"
    TOLD_OF_THE_END = "at_end"
    ASKED = "asked"
    """It asks whether there is more: what it is told of the end is true of a later moment."""
    LOST_ITS_PLACE = "lost_its_place"
    """It reads on, and nobody says from where."""


WRITING = (Did.INVOKED, Did.ACKNOWLEDGED, Did.REFUSED, Did.UNKNOWN)
"""What writers do and are told."""

NOWHERE: Final = -1
"""Instead of an offset: the step is about none."""


@dataclass(frozen=True, slots=True)
class Payload:
    """A record's payload: its hash, and its text where that is recorded."""

    digest: int
    text: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing that a client did with a log, or was told.

    Attributes:
        line: where the recording says it.
        name: the client's own name of the append or question that it is about. No two of its appends share one; where a
            question has none, the reader asked after its latest step.
        is_guess: nobody says which append it is about, and several may be meant, of which ``name`` is the first.
        payload: of an append, and of a record that a reader is given.
        offset: where the log has it; of the end, the first offset at which nothing is.
        time_ns: None if no clock is recorded.
        more: what people may want to know beside it; no rule reads it.
    """

    line: Line
    client: str
    log: str
    did: Did
    name: object = None
    is_guess: bool = False
    payload: Payload | None = None
    offset: int = NOWHERE
    time_ns: int | None = None
    more: Mapping[str, object] = field(default_factory=dict)
