"""The key of a channel as one number: who leads it, and its number there.

Synnax, Segment distribution, Keys: the leaseholder's id and a counter of that node, so that no look-up is needed to
find the leaseholder. As shipped they share 32 bits (core/pkg/distribution/channel/channel.go).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

LOCAL_BITS: Final = 20
LOCAL_MAX: Final = (1 << LOCAL_BITS) - 1
NODE_MAX: Final = (1 << 12) - 1
FREE: Final = NODE_MAX
"""In place of a leaseholder: the channel has none, and nothing of it is stored."""

_NUMBER: Final = re.compile(r"[0-9]{1,10}")
_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,18}")


def key_of(node: int, local: int) -> int:
    """The key of a node's channel; as shipped, a number that is too large runs into the node's bits.

    The counter refuses to go past the largest number, so only a key that is made by hand is like that.
    """
    return node << LOCAL_BITS | local


def leaseholder_of(key: int) -> int:
    """The node that leads a channel, read off its key."""
    return key >> LOCAL_BITS


def local_of(key: int) -> int:
    """The channel's number at its leaseholder."""
    return key & LOCAL_MAX


def is_free(key: int) -> bool:
    """No node leads the channel."""
    return leaseholder_of(key) == FREE


def leaseholders_of(keys: Iterable[int]) -> tuple[int, ...]:
    """The nodes that lead some channels, each once, in the order in which they come."""
    return tuple(dict.fromkeys(leaseholder_of(key) for key in keys))


def read_key_as_shipped(text: str) -> int:
    """A key as it is read from any whole number: what does not fit is cut to 32 bits.

    Raises:
        ValueError: it is no whole number.
    """
    if not _WHOLE.fullmatch(text):
        raise ValueError(f"{text} is not a valid channel key")
    return int(text) % (1 << 32)


def read_key(text: str) -> int:
    """A key that is written as a number.

    Raises:
        ValueError: it is none.
    """
    if not _NUMBER.fullmatch(text) or int(text) >= 1 << 32:
        raise ValueError(f"{text} is not a valid channel key")
    return int(text)
