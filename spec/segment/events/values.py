"""Numbers that stand for words in segment traces."""

from __future__ import annotations

from typing import Final

from spec.language.handles import Bool, Int

SEEK_FIRST, SEEK_LAST, SEEK_LT, SEEK_GE, SEEK = range(1, 6)
NEXT, NEXT_SPAN, PREV, PREV_SPAN = range(6, 10)
ERROR, CLOSE = 10, 11

OPERATIONS: Final = {
    "seek_first": SEEK_FIRST,
    "seek_last": SEEK_LAST,
    "seek_lt": SEEK_LT,
    "seek_ge": SEEK_GE,
    "seek": SEEK,
    "next": NEXT,
    "next_span": NEXT_SPAN,
    "prev": PREV,
    "prev_span": PREV_SPAN,
    "error": ERROR,
    "close": CLOSE,
}
"""What a caller may ask of an iterator or a writer."""

JOINED, DIED = 1, 2

MEMBERSHIP: Final = {"joined": JOINED, "died": DIED}
"""What may become of a node."""

UNKNOWN_CHANNEL, LOCKED, FAILED = 1, 2, 3

REFUSALS: Final = {"unknown_channel": UNKNOWN_CHANNEL, "locked": LOCKED, "failed": FAILED}
"""Why an iterator or a writer is not opened."""

FREE: Final = -1
"""The holder of a channel that nobody may write."""

MAX_AUTHORITY: Final = 255
"""Synnax, x/go/control/authority.go."""


def is_seek(operation: Int) -> Bool:
    """It moves an iterator and gives no data."""
    return operation <= SEEK


def is_forward(operation: Int) -> Bool:
    """It reads on in time."""
    return (operation == NEXT) | (operation == NEXT_SPAN)


def is_backward(operation: Int) -> Bool:
    """It reads back in time."""
    return (operation == PREV) | (operation == PREV_SPAN)


def is_move(operation: Int) -> Bool:
    """It reads on or back in time."""
    return is_forward(operation) | is_backward(operation)
