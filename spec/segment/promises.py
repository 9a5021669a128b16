"""Promises: what a segment layer says of itself in a trace's header, and so which rules apply to it.

Where the source leaves a question open, each answer to it is a promise with rules of its own.
"""

from __future__ import annotations

from typing import Final

PROMISES: Final[dict[str, str]] = {
    "quiet": "the recording ends only when nothing is under way any more: what was to happen has happened",
    "settled": "channels are no longer written once they are read",
    "answers_all": "a call answers true only if all its nodes do, as the segment distribution document has it",
    "answers_any": "a call answers true if one of its nodes does, as one node does for its channels",
    "errors_are_fatal": "after an error an iterator or writer answers no call with true",
    "moves_inverse": "Prev right after Next covers what Next did",
    "data_before_answers": "a node acknowledges a move only once it has sent the data",
    "lock": "one writer at most is open on a channel, and another one is refused",
    "authority": "several writers may be open on a channel, and the one with the highest authority writes it",
    "confirms": "a write that returned true is stored",
    "atomic_requests": "a request that holds segments for several nodes is stored by all of them, or by none",
    "range_metadata": "the cluster's metadata say which segments of a channel a node has",
}
"""Every promise that a header may make, and what it means."""
