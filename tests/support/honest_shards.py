"""Storage shards that keep what they promised: every copy is there, and what is sent comes in order; but not at once.

LogDevice, Read path, How reads happen; Single Copy Delivery, Known down list, for who sends a record.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from random import Random

from reference_impl.log.stream import inputs
from reference_impl.log.stream.inputs import Gap, GapReason, Record, Started
from reference_impl.log.stream.outputs import SendStart, SendWindow
from reference_impl.log.stream.timers import Timer
from tests.support.read_streams import Reading

TROUBLE = 0.3
"""How often something goes wrong, while it still may."""


class Shard:
    """One shard, and what it has under way to the reader."""

    def __init__(self, number: int, copysets: Mapping[int, Sequence[int]]) -> None:
        self.number = number
        self.copysets = {lsn: copyset for lsn, copyset in copysets.items() if number in copyset}
        self.asked: SendStart | None = None
        self.next_lsn = 0
        self.under_way: deque[inputs.Input] = deque()

    def start(self, asked: SendStart) -> None:
        """Begin anew, by new filters; what was sent before is still under way."""
        self.asked, self.next_lsn = asked, asked.first
        self.under_way.append(Started(self.number, asked.version, "OK"))
        self.send(asked.window_high)

    def send(self, upto: int) -> None:
        """Send all that the window allows, and then say that there is nothing more in it."""
        upto = min(upto, self.asked.until) if self.asked else 0
        for lsn in sorted(lsn for lsn in self.copysets if self.next_lsn <= lsn <= upto and self._is_mine(lsn)):
            self.under_way.append(Record(self.number, lsn))
        if self.next_lsn <= upto:
            self.under_way.append(Gap(self.number, self.next_lsn, upto, GapReason.NO_RECORDS))
            self.next_lsn = upto + 1

    def _is_mine(self, lsn: int) -> bool:
        """All send all, or the first of the copyset who is not passed over, or who meets itself."""
        if self.asked is None or not self.asked.single_copy:
            return True
        down = self.asked.filtered_out
        return (
            next(member for member in self.copysets[lsn] if member not in down or member == self.number) == self.number
        )

    def hang_up(self) -> inputs.Input:
        """The connection breaks, and what was under way is lost."""
        self.asked = None
        self.under_way.clear()
        return inputs.ConnectionClosed(self.number, "PEER_CLOSED")


class Cluster:
    """Shards and one reader, with messages, timers and broken connections in any order."""

    def __init__(self, reading: Reading, copysets: Mapping[int, Sequence[int]], random: Random) -> None:
        self.reading, self.random = reading, random
        self.shards = {number: Shard(number, copysets) for number in reading.stream.around.shards}

    def run(self, troubles: int) -> None:
        """Read it all; after so many troubles, there are no more."""
        self.reading.tell(inputs.Start()).learn(1, 1, *self.shards)
        steps = 0
        while not self.reading.stream.disposed:
            steps += 1
            assert steps < 100_000, "the stream does not end"
            self._obey()
            if troubles and self.random.random() < TROUBLE:
                troubles -= 1
                self.reading.tell(self._trouble())
            elif not troubles and not self.reading.stream.around.accepting:
                self.reading.tell(inputs.Accepting(value=True))
            else:
                self._go_on()

    def _obey(self) -> None:
        for asked in self.reading.said(SendStart):
            self.shards[asked.shard].start(asked)
        for allowed in self.reading.said(SendWindow):
            self.shards[allowed.shard].send(allowed.high)

    def _go_on(self) -> None:
        """A message arrives; if there is none, timers fire."""
        speaking = [shard for shard in self.shards.values() if shard.under_way]
        if speaking and (not self.reading.stream.rewinding or self.random.random() < 0.5):
            self.reading.tell(self.random.choice(speaking).under_way.popleft())
        else:
            self._fire_all()

    def _fire_all(self) -> None:
        for timer in sorted(self.reading.stream.timers):
            self.reading.fire(timer)
        for shard, sender in self.reading.stream.senders.items():
            if sender.reconnecting:
                self.reading.fire(Timer.RECONNECT, shard)

    def _trouble(self) -> inputs.Input:
        """A timer fires early, the application changes its mind, or a connection breaks."""
        kind = self.random.randrange(3)
        if kind == 0 and self.reading.stream.timers:
            return inputs.Fired(self.random.choice(sorted(self.reading.stream.timers)))
        if kind == 1:
            return inputs.Accepting(not self.reading.stream.around.accepting)
        return self.random.choice(list(self.shards.values())).hang_up()
