"""Writers on one node: who holds which channel, what is written and not yet committed, and what a commit stores.

Synnax, Segment distribution, Segment Writes: one caller at a time writes to a channel, by a lock that ends with the
writer; readers see what is committed, and nothing of a writer that ended without.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from reference_impl.segment.storage import Store, stored, times_of, written

Cut = Callable[[tuple[int, ...]], list[tuple[int, ...]]]
"""How the samples of one commit are cut into segments."""


@dataclass(frozen=True)
class Desk:
    """What a node knows of channels that it leads.

    Attributes:
        stores: the segments of each channel.
        holders: the writer that holds each channel.
        waiting: what was written to each channel and not yet committed.
        last: the writer that has last committed to each channel.
        grows: a writer's commits make one segment, which grows.
        keeps_uncommitted: Synnax's flaw: what a writer leaves uncommitted is committed by the next.
    """

    stores: Mapping[str, Store] = field(default_factory=dict)
    holders: Mapping[str, str] = field(default_factory=dict)
    waiting: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    last: Mapping[str, str] = field(default_factory=dict)
    grows: bool = False
    keeps_uncommitted: bool = False


def may_hold(desk: Desk, channel: str) -> bool:
    """Whether nobody holds a channel."""
    return channel not in desk.holders


def holding(desk: Desk, channel: str, writer: str) -> Desk:
    """The desk where a writer holds a channel."""
    return replace(desk, holders={**desk.holders, channel: writer})


def writes(desk: Desk, channel: str, writer: str, times: tuple[int, ...]) -> Desk | None:
    """The desk after a write; None where it is refused.

    Synnax, Segment distribution, Channels: values are time-ordered; only whoever holds a channel writes to it.
    """
    before = [*times_of(desk.stores.get(channel, ())), *desk.waiting.get(channel, ())]
    if desk.holders.get(channel) != writer or not times or list(times) != sorted(set(times)):
        return None
    if before and times[0] <= max(before):
        return None
    return replace(desk, waiting={**desk.waiting, channel: (*desk.waiting.get(channel, ()), *times)})


def commits(desk: Desk, writer: str, cut: Cut) -> Desk:
    """The desk after a writer committed: what it has written is stored, in segments."""
    stores, last = dict(desk.stores), dict(desk.last)
    for channel in (channel for channel in desk.waiting if desk.holders.get(channel) == writer):
        store = stores.get(channel, ())
        goes_on = store[-1].times if desk.grows and last.get(channel) == writer else ()
        for times in cut((*goes_on, *desk.waiting[channel])):
            store = stored(store, written(times[0], times, times))
        stores[channel], last[channel] = store, writer
    return replace(desk, stores=stores, last=last, waiting=_without(desk, writer))


def ends(desk: Desk, writer: str) -> Desk:
    """The desk after a writer ended: its channels are free, and what it has not committed is gone."""
    waiting = desk.waiting if desk.keeps_uncommitted else _without(desk, writer)
    holders = {channel: holder for channel, holder in desk.holders.items() if holder != writer}
    return replace(desk, holders=holders, waiting=waiting)


def _without(desk: Desk, writer: str) -> dict[str, tuple[int, ...]]:
    return {channel: times for channel, times in desk.waiting.items() if desk.holders.get(channel) != writer}


def whole(times: tuple[int, ...]) -> list[tuple[int, ...]]:
    """One segment a commit."""
    return [times] if times else []


def pieces(size: int) -> Cut:
    """Segments of so many samples."""
    return lambda times: [times[first : first + size] for first in range(0, len(times), size)]


def runs(times: tuple[int, ...]) -> list[tuple[int, ...]]:
    """One segment for samples that lie side by side."""
    parts: list[list[int]] = []
    for time in times:
        if parts and parts[-1][-1] + 1 == time:
            parts[-1].append(time)
        else:
            parts.append([time])
    return [tuple(part) for part in parts]
