"""The flaws of Synnax's iterator, each a switch: with none the machine says what the definition says.

Each was found by running Synnax's storage engine at commit 0d092325 and is told here in our words.
"""

from __future__ import annotations

from enum import Enum
from typing import Final


class Flaw(Enum):
    """One way in which an iterator departs from the definition."""

    LEAVES_UNFINISHED = "it goes on to the next segment although the view ends in this one, whose rest is never read"
    STOPS_AT_AN_END = "once there was no further segment it never goes to another, be it back or to what is new"
    GIVES_UP_EARLY = "it stops at the first segment that is not in view, though one behind it is"
    LEAVES_CURSOR_BEHIND = (
        "a move that can read nothing takes the view there, and leaves the iterator at another segment"
    )
    MISCOUNTS_CHUNKS = "a chunk is counted from the sample at or before its edge: one is read twice, or past the bound"
    STUMBLES_AT_A_START = "a chunk back that begins with the first sample of a segment fails or loses it"
    FAILS_OUTSIDE_SEGMENTS = "a chunk from a place in no segment is an error, also when all was read"
    ENDS_WITH_SEGMENTS = "the last chunk ends with the last segment, not at the bound"
    STOPS_AT_TIME_ONE = "the last chunk back ends at time 1, though the range begins at or before time 0"
    MOVES_UNPOSITIONED = "a move reads something though no seek has succeeded, and a seek that fails moves the view"
    FAILS_AT_TIME_ZERO = "an iterator that is at no segment takes time 0 for one and fails there"
    SEEKS_OUTSIDE_RANGE = "a seek looks for a segment first and for the range afterwards"
    GOES_ON_AFTER_ERROR = "moves go on after an error, and a seek clears it"
    READS_AGAIN_BELOW_ZERO = "a span below zero reads what lies behind, and does not go there"
    KEEPS_OLD_VALUE = "after a call that failed the value of the one before can still be read"
    CLOSE_FORGETS_ERROR = "closing does not tell the error that was met"
    COUNTS_SEGMENTS = "it knows its segment by number, and does not look again when others are written"
    ANSWERS_FOR_ANY = "a call on several channels is true if it is for any of them"
    ASKING_DROPS_VALUE = "asking whether it is valid, or for its error, drops what was read"
    KEEPS_OLD_COPY = "it does not see that the segment it is at has grown"


SHIPPED: Final = frozenset(Flaw)
"""All of them: Synnax's iterator as it was recorded."""

NONE: Final[frozenset[Flaw]] = frozenset()
