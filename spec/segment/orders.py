"""Orders of segment traces: by calls of a session, by time in a channel, by turns of control, and by keys."""

from __future__ import annotations

from typing import Final

from spec.language.handles import Int, high
from spec.language.orders import Order, plain

BY_CALL: Final = Order("session", plain("request"))
"""Session by session, each by its requests: how a trace is sorted."""

BY_TIME: Final = Order("channel", plain("start_ns"))
"""Channel by channel, each by the times of its samples."""

BY_TURN: Final = Order("channel", plain("turn"))
"""Channel by channel, each by the turns at which control of it changed."""

BY_KEY: Final = Order("leaseholder", plain("channel"))
"""Leaseholder by leaseholder, each by the keys of its channels."""


def leaseholder_in(channel: Int) -> Int:
    """The node that a channel's key begins with.

    Synnax, Segment Distribution, 3.1 Keys; the header's ``low_bits`` says how many bits its counter has.
    """
    return high(channel)
