"""The sequencer of one log on one node: its state, and the appends that it has under way.

What it does and decides stands in ``activation``, ``appending``, ``acknowledging`` and ``releasing``. LogDevice,
Recovery, Sequencer activation; common/EpochSequencer.h, common/Appender.h, common/Sequencer.cpp.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final, NamedTuple

from reference_impl.log.copies import Cleaned, Nodes
from reference_impl.log.messages import Recover, Refusal
from reference_impl.log.placing import Block

NOTHING_RELEASED: Final = -1


class Role(Enum):
    """What the sequencer is doing."""

    IDLE = "not the sequencer"
    ASKING = "waits for an epoch"
    ACTIVE = "takes appends"
    DRAINING = "lets the appends under way end"
    PREEMPTED = "learnt of a later sequencer"


class Stage(Enum):
    """How far an append is; without extras, done once it is acknowledged: Single Copy Delivery, Appender stages."""

    STORING = "being stored"
    ACKED = "acknowledged, but its leader may not have it"
    LED = "may be released, and extras that have it are told to delete it"
    DONE = "may be released"


class Answer(NamedTuple):
    """What became of an append of a client; ESN 0: it was refused.

    Attributes:
        copyset: the nodes on which its acknowledgement counts; nobody as long as it is being stored.
    """

    number: int
    esn: int
    reason: Refusal | None = None
    copyset: Nodes = frozenset()


class Session(NamedTuple):
    """A client's appends.

    Attributes:
        ended: the client has an answer to all appends up to this number.
        answers: what became of others, by number.
    """

    ended: int = 0
    answers: Mapping[int, Answer] = {}

    def with_answer(self, answer: Answer, oldest: int) -> Session:
        """The session after one more append; the client has an answer to all before the oldest one."""
        ended = max(self.ended, oldest - 1)
        kept = {number: one for number, one in self.answers.items() if number > ended}
        return Session(ended, {**kept, answer.number: answer})


class Appender(NamedTuple):
    """One append under way: common/Appender.h.

    Attributes:
        wave: which attempt, from 1; each has a copyset of its own.
        stored: the nodes of this wave's copyset that hold the record.
        since_ns: when this wave was sent.
        dismissed: the nodes that were told to delete it; no later wave goes there.
        had: all that ever stored it, of whatever wave.
        place: its place in its client's stream; 0: it is in none.
    """

    digest: int
    client: int
    number: int
    wave: int
    copyset: Nodes
    stored: Nodes
    stage: Stage
    since_ns: int
    dismissed: Nodes = frozenset()
    had: Nodes = frozenset()
    place: int = 0

    @property
    def may_be_released(self) -> bool:
        """Readers may have it once all before it may be released."""
        return self.stage in (Stage.LED, Stage.DONE)


class Sequencer(NamedTuple):
    """A sequencer.

    Attributes:
        asked_ns: when it asked for its epoch.
        nodesets: the nodeset of every epoch of the log.
        last_esn: the last ESN that was given out.
        known_good: the last known good ESN: all up to it are stored and, where copysets have extras, led.
        released: the ESN up to which the epoch was released.
        window: the appends above the last known good ESN.
        cleaned: what recovery made of all earlier epochs; None until they are clean.
        suspects: nodes that kept a wave waiting.
        block: the block of the last append, where appends go to one copyset for a while.
        late: appends that go on although they may be released.
        streams: the last place of each client's stream that was given an LSN.
        before: what it sequenced before, as long as appends of that are under way.
        recover: what is to be recovered after that.
    """

    log: int
    node: int
    role: Role = Role.IDLE
    epoch: int = 0
    nodesets: Mapping[int, Nodes] = {}
    last_esn: int = 0
    known_good: int = 0
    released: int = NOTHING_RELEASED
    window: Mapping[int, Appender] = {}
    sessions: Mapping[int, Session] = {}
    cleaned: Mapping[int, Cleaned] | None = None
    suspects: Nodes = frozenset()
    ticks: int = 0
    asked_ns: int = 0
    block: Block | None = None
    late: Mapping[int, Appender] = {}
    streams: Mapping[int, int] = {}
    before: Sequencer | None = None
    recover: Recover | None = None


def remembering(sequencer: Sequencer, client: int, answer: Answer, oldest: int = 0) -> Sequencer:
    """The sequencer with what became of an append, so that its client is told again when it repeats its request."""
    session = sequencer.sessions.get(client, Session()).with_answer(answer, oldest)
    return sequencer._replace(sessions={**sequencer.sessions, client: session})
