"""A reader's timers: they are set as the read stream asks, and one that was stopped does nothing when its time comes.

How long they run is no affair of the rules. The proportions are LogDevice's, docs/settings.md, on a faster clock.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from reference_impl.kernel.step import After, Effect
from reference_impl.log.reading_messages import Alarm
from reference_impl.log.stream.state import Stream
from reference_impl.log.stream.timers import Timer

PATIENCE_NS: Final[Mapping[Timer, int]] = {
    Timer.REWIND: 20_000,
    Timer.REDELIVERY: 500_000,
    Timer.REATTEMPT_START: 500_000,
    Timer.METADATA_RETRY: 2_000_000,
    Timer.GRACE: 2_000_000,
    Timer.STARTED: 3_000_000,
    Timer.RECONNECT: 2_000_000,
    Timer.STALL_GRACE: 10_000_000,
    Timer.SHARDS_DOWN: 6_000_000,
    Timer.ALL_SEND_ALL: 12_000_000,
}
"""How long each timer runs, in nanoseconds of virtual time."""

NOBODY: Final = -1
"""The shard of a timer that is no shard's."""


class Alarms(NamedTuple):
    """Timers that are set.

    Attributes:
        running: the number of each, by timer and shard.
        asked: how many were set so far.
    """

    running: Mapping[tuple[Timer, int], int] = {}
    asked: int = 0


def rung(alarms: Alarms, alarm: Alarm) -> Alarms | None:
    """The alarms without one that rings; None if it was stopped before."""
    which = (alarm.timer, alarm.shard)
    if alarms.running.get(which) != alarm.number:
        return None
    return alarms._replace(running={other: number for other, number in alarms.running.items() if other != which})


def set_alarms(alarms: Alarms, stream: Stream | None) -> tuple[Alarms, list[Effect]]:
    """Set the timers that the stream asks for and that do not run, and stop all others."""
    wanted = frozenset(_wanted(stream)) if stream is not None else frozenset()
    if wanted == alarms.running.keys():
        return alarms, []
    effects: list[Effect] = []
    running = {which: number for which, number in alarms.running.items() if which in wanted}
    asked = alarms.asked
    for timer, shard in sorted(wanted - running.keys()):
        asked += 1
        running[timer, shard] = asked
        effects.append(After(PATIENCE_NS[timer], Alarm(timer, shard, asked)))
    return Alarms(running, asked), effects


def _wanted(stream: Stream) -> Iterator[tuple[Timer, int]]:
    for timer in stream.timers:
        yield timer, NOBODY
    for shard, sender in stream.senders.items():
        if sender.reconnecting:
            yield Timer.RECONNECT, shard
        if sender.awaited:
            yield Timer.STARTED, shard
