"""Control authority over a channel: gates that bid for a region of time, of which one at most holds it.

Synnax, cesium/internal/control; its later variant of the write lock. Each gate has an authority, 0 to 255. The holder
is the gate of the highest authority, and of those the one that was opened first. A region covers the ranges of all its
gates, so that whoever asks for some of it meets them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from spec.segment.iterator.times import TimeRange

UNAUTHORIZED, INVALID, CONTROLLED_TWICE = "unauthorized", "validation", "multiple control regions"


@dataclass(frozen=True)
class Gate:
    """A bid for a region: its authority, and how many were opened before it."""

    authority: int
    order: int


@dataclass(frozen=True)
class Region:
    """A range of time that is controlled as one.

    Attributes:
        range: the time that it covers.
        gates: the open gates, by name.
        holder: the gate that holds it.
        opened: how many gates it has ever had.
    """

    range: TimeRange
    gates: Mapping[str, Gate] = field(default_factory=dict)
    holder: str | None = None
    opened: int = 0


Regions = tuple[Region, ...]
Held = tuple[str, int] | None
"""A holder and its authority."""


@dataclass(frozen=True)
class Answered:
    """What a call on gates gave.

    Attributes:
        regions: all regions after it.
        error: why it was refused.
        before: who held the region, if that changed hands.
        after: who holds it now, if that changed hands.
        has_opened: a new region was made, with a resource of its own.
    """

    regions: Regions
    error: str | None = None
    before: Held = None
    after: Held = None
    has_opened: bool = False


@dataclass(frozen=True)
class Bid:
    """What a gate is opened with: its name, authority and range, and what it does where it would not hold."""

    gate: str
    authority: int
    range: TimeRange
    must_hold: bool = False
    must_be_first: bool = False
    is_shared: bool = False


def opened(regions: Regions, bid: Bid, *, refused_widens: bool = False) -> Answered:
    """Open a gate on the region that its range meets, or on a new one.

    Whoever bids more than the holder takes over at once. With `refused_widens`, Synnax's flaw, a region also grows to
    the range of a gate that is then refused.
    """
    met = [region for region in regions if region.range.overlaps(bid.range)]
    if len(met) > 1:
        return Answered(regions, CONTROLLED_TWICE)
    region = met[0] if met else Region(bid.range)
    others = tuple(one for one in regions if one is not region)
    if bid.must_be_first and region.holder is not None:
        return Answered(regions, UNAUTHORIZED)
    if bid.gate in region.gates:
        return Answered(regions, INVALID)
    wide = replace(region, range=_union(region.range, bid.range))
    holder = region.gates.get(region.holder or "")
    if holder is not None and bid.must_hold and not _holds_at_once(bid, holder):
        return Answered((*others, wide) if refused_widens else regions, UNAUTHORIZED)
    gates = {**region.gates, bid.gate: Gate(bid.authority, region.opened)}
    return _settled(others, region, replace(wide, gates=gates, opened=region.opened + 1), has_opened=not met)


def released(regions: Regions, gate: str) -> Answered:
    """Close a gate: the next in line holds the region, which ends with its last gate."""
    region = _region_of(regions, gate)
    gates = {name: one for name, one in region.gates.items() if name != gate}
    return _settled(_without(regions, region), region, replace(region, gates=gates))


def bid_anew(regions: Regions, gate: str, authority: int) -> Answered:
    """Change a gate's authority, and with it perhaps the holder."""
    region = _region_of(regions, gate)
    gates = {**region.gates, gate: replace(region.gates[gate], authority=authority)}
    return _settled(_without(regions, region), region, replace(region, gates=gates))


def is_authorized(regions: Regions, gate: str, *, is_shared: bool = False) -> bool:
    """Whether a gate may write: it holds its region, or the region is shared and none in it has more authority."""
    region = next((one for one in regions if gate in one.gates), None)
    if region is None or region.holder is None:
        return False
    return region.holder == gate or (
        is_shared and region.gates[gate].authority >= region.gates[region.holder].authority
    )


def covered(regions: Regions, time: TimeRange) -> bool:
    """Whether some region covers a part of a range."""
    return any(region.range.overlaps(time) for region in regions)


def _settled(others: Regions, before: Region, region: Region, *, has_opened: bool = False) -> Answered:
    """The regions with this one, held by who should hold it, and who held it before."""
    if not region.gates:
        return Answered(others, before=_held(before))
    best = min(region.gates, key=lambda name: (-region.gates[name].authority, region.gates[name].order))
    after = replace(region, holder=best)
    if (_held(before), before.holder) == (_held(after), after.holder):
        return Answered((*others, after), has_opened=has_opened)
    return Answered((*others, after), None, _held(before), _held(after), has_opened)


def _holds_at_once(bid: Bid, holder: Gate) -> bool:
    return bid.authority > holder.authority or (bid.is_shared and bid.authority == holder.authority)


def _held(region: Region) -> Held:
    return None if region.holder is None else (region.holder, region.gates[region.holder].authority)


def _region_of(regions: Regions, gate: str) -> Region:
    return next(region for region in regions if gate in region.gates)


def _without(regions: Regions, region: Region) -> Regions:
    return tuple(one for one in regions if one is not region)


def _union(one: TimeRange, other: TimeRange) -> TimeRange:
    return TimeRange(min(one.start, other.start), max(one.end, other.end))
