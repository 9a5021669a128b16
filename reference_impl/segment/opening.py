"""Opening and closing writers over several nodes, step by step: locks first, then parts, and all of it given back.

Synnax, Segment distribution, Opening a Writer, Closing a Writer: a gateway resolves the leaseholder of each channel,
takes a write lock on each, opens a part on each of their nodes, and gives the writer to its caller. Whoever finds a
lock taken is refused and gives back what it has, so writers that want the same channels never wait for each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Final, TypeAlias


class Phase(Enum):
    """What a writer is doing."""

    LOCKING = "takes locks, one after the other"
    OPENING = "opens its parts"
    OPEN = "is open"
    ENDING = "closes its parts, and then gives back its locks"
    REFUSED = "was refused, and has nothing"
    CLOSED = "has ended, and has nothing"


class Slip(Enum):
    """One way in which opening goes wrong on purpose."""

    WAITS = "waits for a lock that is taken, and keeps those that it has"
    KEEPS_LOCKS = "keeps its locks when it is refused"
    KEEPS_PARTS = "keeps the parts that are open when another one fails"
    OPENS_FIRST = "opens parts before it has all locks"
    FORGETS_GATEWAY = "nobody gives back what a gateway held that was lost"


@dataclass(frozen=True)
class WantedChannels:
    """What a writer is asked for: channels in order, each with the node that leads it."""

    channels: tuple[tuple[str, int], ...]

    @property
    def nodes(self) -> frozenset[int]:
        """The nodes that lead its channels."""
        return frozenset(node for _, node in self.channels)


@dataclass(frozen=True)
class Attempt:
    """One writer.

    Attributes:
        wish: what it was asked for.
        phase: what it is doing.
        is_refused: it will not be given to its caller.
        parts: the nodes on which a part of it is open.
        has_gateway: its gateway lives.
    """

    wish: WantedChannels
    phase: Phase = Phase.LOCKING
    is_refused: bool = False
    parts: frozenset[int] = frozenset()
    has_gateway: bool = True


@dataclass(frozen=True)
class Openings:
    """All writers, and who holds which channel.

    Attributes:
        attempts: the writers, by name.
        holders: the writer that holds each channel that is held.
    """

    attempts: Mapping[str, Attempt]
    holders: Mapping[str, str] = field(default_factory=dict)

    def after(self, writer: str, attempt: Attempt, holders: Mapping[str, str] | None = None) -> Openings:
        """The same with another state of one writer, and perhaps of the locks."""
        kept = self.holders if holders is None else holders
        return Openings({**self.attempts, writer: attempt}, kept)

    def held_by(self, writer: str) -> frozenset[str]:
        """The channels that a writer holds."""
        return frozenset(channel for channel, holder in self.holders.items() if holder == writer)


@dataclass(frozen=True)
class Lock:
    """A writer asks for the first lock that it lacks."""

    writer: str


@dataclass(frozen=True)
class OpenPart:
    """A node opens its part of a writer."""

    writer: str
    node: int


@dataclass(frozen=True)
class FailPart:
    """A node cannot open its part of a writer."""

    writer: str
    node: int


@dataclass(frozen=True)
class EndWriter:
    """The caller closes a writer or cancels it; or its gateway is lost."""

    writer: str
    with_gateway: bool = False


@dataclass(frozen=True)
class ClosePart:
    """A node closes its part of a writer that ends."""

    writer: str
    node: int


@dataclass(frozen=True)
class Unlock:
    """The locks of a writer that has no part any more are given back."""

    writer: str


Action: TypeAlias = Lock | OpenPart | FailPart | EndWriter | ClosePart | Unlock
NONE: Final[frozenset[Slip]] = frozenset()


def step(openings: Openings, action: Action, slips: frozenset[Slip] = NONE) -> Openings | None:
    """The writers after a step; None where it cannot happen."""
    return STEPS[type(action)](openings, action, openings.attempts[action.writer], slips)


def enabled(openings: Openings, slips: frozenset[Slip] = NONE) -> Iterator[tuple[Action, Openings]]:
    """All that can happen, and what comes of it; that somebody ends an open writer among it."""
    for writer, attempt in openings.attempts.items():
        nodes = sorted(attempt.wish.nodes)
        ends = [EndWriter(writer, lost) for lost in (False, True)]
        parts = [kind(writer, node) for node in nodes for kind in (OpenPart, FailPart, ClosePart)]
        for action in (Lock(writer), Unlock(writer), *parts, *ends):
            if (after := step(openings, action, slips)) is not None:
                yield action, after


def _lock(openings: Openings, action: Lock, attempt: Attempt, slips: frozenset[Slip]) -> Openings | None:
    """A lock is taken while nobody has it; else the writer is refused."""
    mine = openings.held_by(action.writer)
    lacking = [channel for channel, _ in attempt.wish.channels if channel not in mine]
    if attempt.phase is not Phase.LOCKING or not attempt.has_gateway or not lacking:
        return None
    if lacking[0] in openings.holders:
        refused = replace(attempt, phase=Phase.ENDING, is_refused=True)
        return None if Slip.WAITS in slips else openings.after(action.writer, refused)
    phase = Phase.LOCKING if lacking[1:] else Phase.OPENING
    taken = {**openings.holders, lacking[0]: action.writer}
    return openings.after(action.writer, replace(attempt, phase=phase), taken)


def _open_part(openings: Openings, action: OpenPart, attempt: Attempt, slips: frozenset[Slip]) -> Openings | None:
    """A part is opened once all locks are taken; with the last part the writer is open."""
    is_time = attempt.phase is Phase.OPENING or (Slip.OPENS_FIRST in slips and attempt.phase is Phase.LOCKING)
    if not is_time or not attempt.has_gateway or action.node in attempt.parts:
        return None
    parts = attempt.parts | {action.node}
    is_open = parts == attempt.wish.nodes and attempt.phase is Phase.OPENING
    return openings.after(action.writer, replace(attempt, parts=parts, phase=Phase.OPEN if is_open else attempt.phase))


def _fail_part(openings: Openings, action: FailPart, attempt: Attempt, _slips: frozenset[Slip]) -> Openings | None:
    """A part that fails ends the writer, which is refused."""
    if attempt.phase is not Phase.OPENING or not attempt.has_gateway or action.node in attempt.parts:
        return None
    return openings.after(action.writer, replace(attempt, phase=Phase.ENDING, is_refused=True))


def _end(openings: Openings, action: EndWriter, attempt: Attempt, slips: frozenset[Slip]) -> Openings | None:
    """An open writer is closed or cancelled at any time; a gateway is lost at any time."""
    if attempt.phase in (Phase.REFUSED, Phase.CLOSED) or not attempt.has_gateway:
        return None
    if action.with_gateway:
        phase = attempt.phase if Slip.FORGETS_GATEWAY in slips else Phase.ENDING
        return openings.after(action.writer, replace(attempt, phase=phase, has_gateway=False))
    if attempt.phase is not Phase.OPEN:
        return None
    return openings.after(action.writer, replace(attempt, phase=Phase.ENDING))


def _close_part(openings: Openings, action: ClosePart, attempt: Attempt, slips: frozenset[Slip]) -> Openings | None:
    """Each node closes its part, unless it is kept by mistake."""
    keeps = attempt.is_refused and Slip.KEEPS_PARTS in slips
    if attempt.phase is not Phase.ENDING or action.node not in attempt.parts or keeps:
        return None
    return openings.after(action.writer, replace(attempt, parts=attempt.parts - {action.node}))


def _unlock(openings: Openings, action: Unlock, attempt: Attempt, slips: frozenset[Slip]) -> Openings | None:
    """Locks are given back after the last part is closed."""
    keeps_parts = attempt.is_refused and Slip.KEEPS_PARTS in slips
    if attempt.phase is not Phase.ENDING or (attempt.parts and not keeps_parts):
        return None
    phase = Phase.REFUSED if attempt.is_refused else Phase.CLOSED
    keeps = attempt.is_refused and Slip.KEEPS_LOCKS in slips
    free = {channel: holder for channel, holder in openings.holders.items() if keeps or holder != action.writer}
    return openings.after(action.writer, replace(attempt, phase=phase), free)


STEPS: Final[Mapping[type, Callable[[Openings, Any, Attempt, frozenset[Slip]], Openings | None]]] = {
    Lock: _lock,
    OpenPart: _open_part,
    FailPart: _fail_part,
    EndWriter: _end,
    ClosePart: _close_part,
    Unlock: _unlock,
}
