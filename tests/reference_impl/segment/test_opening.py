"""Writers that want the same channels of several nodes: every interleaving, with parts that fail and gateways lost.

Synnax, Segment distribution, Opening a Writer, Closing a Writer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from reference_impl.segment.opening import NONE, Attempt, Openings, Phase, Slip, WantedChannels, enabled

A, B, C = ("a", 1), ("b", 2), ("c", 3)
Wishes = Mapping[str, tuple[tuple[str, int], ...]]

CROSSED: Wishes = {"v": (A, B), "w": (B, A)}
"""Two writers that want the same two channels, each another one first."""

ENDED = (Phase.REFUSED, Phase.CLOSED)


def explored(wishes: Wishes, slips: frozenset[Slip] = NONE) -> list[Openings]:
    """Every state that can be reached."""
    waiting = [Openings({name: Attempt(WantedChannels(channels)) for name, channels in wishes.items()})]
    known = {repr(waiting[0])}
    for openings in waiting:
        for _, after in enabled(openings, slips):
            if repr(after) not in known:
                known.add(repr(after))
                waiting.append(after)
    return waiting


def waits(openings: Openings, slips: frozenset[Slip]) -> bool:
    """All that can happen is that somebody gives up: nobody gets on."""
    steps = [type(action).__name__ for action, _ in enabled(openings, slips)]
    return (
        bool(steps)
        and set(steps) == {"EndWriter"}
        and any(one.phase is Phase.LOCKING for one in openings.attempts.values())
    )


def leaks(openings: Openings, _slips: frozenset[Slip]) -> bool:
    """A writer that has ended, or whose gateway is lost without anybody ending it, still has a lock or a part."""
    over = {name for name, one in openings.attempts.items() if one.phase in ENDED}
    lost = {name for name, one in openings.attempts.items() if not one.has_gateway and one.phase is not Phase.ENDING}
    return any(openings.held_by(name) or openings.attempts[name].parts for name in over | lost)


def early(openings: Openings, _slips: frozenset[Slip]) -> bool:
    """A writer has a part before it has all of its locks."""
    return any(one.parts and not one.is_refused and one.phase is Phase.LOCKING for one in openings.attempts.values())


BAD: dict[str, Callable[[Openings, frozenset[Slip]], bool]] = {
    "waits": waits,
    "leaks": leaks,
    "early": early,
}


@pytest.mark.parametrize("wishes", [CROSSED, {"v": (A,), "w": (B,)}, {"v": (A, B), "w": (B, C)}])
def test_nobody_waits_nothing_leaks_and_locks_come_first(wishes: Wishes) -> None:
    """Whoever finds a lock taken is refused, and whoever ends has nothing left."""
    states = explored(wishes)
    assert {name for openings in states for name, is_bad in BAD.items() if is_bad(openings, NONE)} == set()
    opened = [{name for name, one in state.attempts.items() if one.phase is Phase.OPEN} for state in states]
    shared = set(wishes["v"]) & set(wishes["w"])
    assert ({"v", "w"} in opened) is not bool(shared)
    assert {"v"} in opened
    assert {"w"} in opened


@pytest.mark.parametrize(
    ("slip", "bad"),
    [
        (Slip.WAITS, "waits"),
        (Slip.KEEPS_LOCKS, "leaks"),
        (Slip.KEEPS_PARTS, "leaks"),
        (Slip.OPENS_FIRST, "early"),
        (Slip.FORGETS_GATEWAY, "leaks"),
    ],
)
def test_each_slip_is_seen(slip: Slip, bad: str) -> None:
    """What goes wrong with it goes wrong in some interleaving."""
    slips = frozenset({slip})
    found = {name for openings in explored(CROSSED, slips) for name, is_bad in BAD.items() if is_bad(openings, slips)}
    assert bad in found


def test_a_channel_has_one_holder_who_asked_for_it() -> None:
    """An open writer holds all of its channels."""
    for openings in explored(CROSSED):
        for name, one in openings.attempts.items():
            if one.phase is Phase.OPEN:
                assert openings.held_by(name) == {channel for channel, _ in one.wish.channels}
                assert one.parts == one.wish.nodes
