"""The gateway over several nodes: every interleaving of a call gives the same, no call hangs, and a close comes last.

Synnax, Segment distribution, Execution Flow, Error Handling, Closing an Iterator.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import pairwise

import pytest

from reference_impl.segment.gateway.machine import NODE_DIED, Call, Die, Take, enabled, step
from reference_impl.segment.gateway.messages import Acknowledgement, Data
from reference_impl.segment.gateway.state import Session, Stores, Wiring, opened_session
from reference_impl.segment.iterator.state import Setting
from spec.segment.iterator.choices import Merge
from spec.segment.iterator.commands import Close, Command, Next, Prev, SeekFirst, SeekGE, SeekLast
from spec.segment.iterator.definition import CLOSED, Answer
from spec.segment.iterator.times import TimeRange
from tests.support.segment_scripts import laid_out

STORES: Stores = {1: {"a": laid_out(((1, 2), (5,)))}, 2: {"b": laid_out(((2, 3),)), "c": ()}}
WIRING = Wiring(Setting(TimeRange(0, 9), 2), message_samples=1, wire_messages=1, output_messages=1)
Delivered = tuple[Data, ...]
World = tuple[Session, Delivered]


def opened(*channels: str, wiring: Wiring = WIRING) -> Session:
    return opened_session({channel: 1 if channel == "a" else 2 for channel in channels}, wiring)


def called(session: Session, command: Command, wiring: Wiring = WIRING) -> Session:
    after = step(session, Call(command), STORES, wiring)
    assert after is not None
    return after


def steps_of(world: World, wiring: Wiring, dying: Iterable[int] = ()) -> list[World]:
    """What may come next, and what the caller has by then."""
    session, delivered = world
    found = [
        (after, (*delivered, session.output[0]) if isinstance(action, Take) else delivered)
        for action, after in enabled(session, STORES, wiring)
    ]
    deaths = [step(session, Die(node), STORES, wiring) for node in dying]
    return [*found, *((after, delivered) for after in deaths if after is not None)]


def endings(world: World, wiring: Wiring = WIRING, dying: Iterable[int] = ()) -> list[World]:
    """Every state in which nothing is left to happen, by every interleaving."""
    known, waiting, ends = {repr(world)}, [world], []
    for one in waiting:
        later = steps_of(one, wiring, dying if not any(not peer.is_up for peer in one[0].peers.values()) else ())
        ends += [] if later else [one]
        for other in later:
            if repr(other) not in known:
                known.add(repr(other))
                waiting.append(other)
    return ends


def by_channel(delivered: Delivered) -> Mapping[str, tuple[int, ...]]:
    channels = sorted({data.channel for data in delivered})
    return {name: tuple(time for data in delivered if data.channel == name for time in data.times) for name in channels}


def outcome(
    commands: list[Command], *channels: str, wiring: Wiring = WIRING
) -> list[tuple[Answer | None, Mapping[str, tuple[int, ...]]]]:
    """What each call gives, which must be the same by every interleaving."""
    session, said = opened(*channels, wiring=wiring), []
    for command in commands:
        ends = endings((called(session, command, wiring), ()), wiring)
        told = [(end.answer, by_channel(delivered)) for end, delivered in ends]
        assert all(one == told[0] for one in told)
        said.append(told[0])
        session = ends[0][0]
    return said


@pytest.mark.parametrize("acknowledges_first", [True, False])
def test_every_interleaving_gives_the_same(*, acknowledges_first: bool) -> None:
    """Whether nodes acknowledge before or after they send what they read, and however messages meet."""
    wiring = replace(WIRING, acknowledges_first=acknowledges_first)
    commands: list[Command] = [SeekFirst(), Next(2), SeekLast(), Prev(5), Close(), Next(9)]
    assert outcome(commands, "a", "b", wiring=wiring) == [
        (Answer(ok=True), {}),
        (Answer(ok=True), {"a": (1, 2), "b": (2, 3)}),
        (Answer(ok=True), {}),
        (Answer(ok=True), {"a": (1, 2, 5), "b": (2, 3)}),
        (Answer(ok=True), {}),
        (Answer(ok=False, error=CLOSED), {}),
    ]


def test_the_last_acknowledgement_alone_is_a_matter_of_timing() -> None:
    """Execution Flow: merged by what all say, the answer is one; by who comes last, it is any."""
    answers = {}
    for merge in (Merge.ALL, Merge.ANY, Merge.LAST):
        wiring = replace(WIRING, merge=merge)
        ends = endings((called(opened("a", "c", wiring=wiring), SeekGE(2), wiring), ()), wiring)
        answers[merge] = {end.answer.ok for end, _ in ends if end.answer}
    assert answers == {Merge.ALL: {False}, Merge.ANY: {True}, Merge.LAST: {False, True}}


def test_a_call_returns_even_if_a_node_dies() -> None:
    """Error Handling: at whatever point it dies, the call gives an answer, and so does every call after it."""
    session = endings((called(opened("a", "b"), SeekFirst()), ()))[0][0]
    ends = endings((called(session, Next(9)), ()), dying=(1, 2))
    assert {end.answer.error for end, _ in ends if end.answer and end.error} >= {NODE_DIED}
    assert all(end.answer is not None and end.acks is None for end, _ in ends)
    (dead, *_) = (end for end, _ in ends if end.error)
    assert called(dead, Next(9)).answer == Answer(ok=False, error=NODE_DIED)
    assert called(dead, Close()).answer == Answer(ok=False, error=NODE_DIED)


def test_one_call_is_under_way_at_a_time() -> None:
    """Execution Flow: the caller is free to make another call when the one before has returned."""
    assert step(called(opened("a"), SeekFirst()), Call(Next(1)), STORES, WIRING) is None


def test_a_late_acknowledgement_counts_for_no_other_call() -> None:
    """An acknowledgement is matched to its request: one of an older call changes nothing."""
    session = called(endings((called(opened("a", "b"), SeekFirst()), ()))[0][0], Next(1))
    late = session.with_peer(1, replace(session.peers[1], wire=(Acknowledgement(1, ok=False),)))
    worlds = endings((late, ()))
    assert {end.answer for end, _ in worlds} == {end.answer for end, _ in endings((session, ()))}


def test_a_close_returns_after_all_was_received() -> None:
    """Closing an Iterator: the caller has all data that the iterator will ever give."""
    wiring = replace(WIRING, acknowledges_first=True)
    session = endings((called(opened("a", "b"), SeekFirst()), ()))[0][0]
    known, waiting = set(), [called(session, Next(9))]
    for one in waiting:
        returned = [one] if one.acks is None and one.answer else []
        closing = [called(each, Close(), wiring) for each in returned if not each.is_closing]
        for other in (*closing, *(after for _, after in enabled(one, STORES, wiring))):
            if repr(other) not in known:
                known.add(repr(other))
                waiting.append(other)
    closed = [one for one in waiting if one.is_closing and one.acks is None]
    assert closed
    assert all(not peer.sending and not peer.wire for one in closed for peer in one.peers.values())


def test_one_part_on_each_leaseholder() -> None:
    """Opening an Iterator: channels are grouped by the node that leads them, and no other node takes part."""
    session = opened_session({"a": 3, "b": 5, "c": 5}, WIRING)
    assert {node: tuple(peer.readings.of) for node, peer in session.peers.items()} == {3: ("a",), 5: ("b", "c")}


def test_data_of_a_channel_come_in_order() -> None:
    """Execution Flow: by every interleaving, the messages of a channel come as its node has sent them."""
    session = endings((called(opened("a", "b"), SeekFirst()), ()))[0][0]
    for _, delivered in endings((called(session, Next(9)), ())):
        times = [time for data in delivered if data.channel == "a" for time in data.times]
        assert all(one < other for one, other in pairwise(times))
