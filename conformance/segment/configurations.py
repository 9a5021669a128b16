"""Configurations: where channels are led, how samples lie in segments, how they travel, and who acknowledges when.

None of it may show in a history. Synnax, Segment distribution, Summary: callers read and write as on one machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from reference_impl.segment.iterator.flaws import NONE, Flaw
from reference_impl.segment.writing import Cut, pieces, runs, whole
from spec.segment.iterator.choices import Merge

GATEWAY: Final = 1
Placement = Callable[[Sequence[str]], Mapping[str, int]]
"""Which node leads each channel."""


def local(channels: Sequence[str]) -> Mapping[str, int]:
    """The gateway leads all channels."""
    return dict.fromkeys(channels, GATEWAY)


def remote(channels: Sequence[str]) -> Mapping[str, int]:
    """Another node leads all channels."""
    return dict.fromkeys(channels, GATEWAY + 1)


def mixed(channels: Sequence[str]) -> Mapping[str, int]:
    """The gateway and two other nodes lead channels by turns."""
    return {channel: GATEWAY + number % 3 for number, channel in enumerate(channels)}


def turned(channels: Sequence[str]) -> Mapping[str, int]:
    """As if asked at another gateway: what was the first node's is the last one's."""
    return {channel: GATEWAY + 2 - number % 3 for number, channel in enumerate(channels)}


class Timing(Enum):
    """Which of the things that can happen happens first."""

    NEAR_FIRST = "the gateway's own node is the first, others follow by number"
    FAR_FIRST = "the node of the highest number is the first"
    EAGER = "the next call is made as soon as the one before has returned, whatever is still under way"
    RANDOM = "by lot"


@dataclass(frozen=True)
class Configuration:
    """One way to run a script.

    Attributes:
        name: its name.
        placement: which node leads each channel.
        cut: how the samples of a commit are cut into segments.
        grows: all commits of a writer make one segment.
        message_samples: how many samples a message carries at most.
        acknowledges_first: nodes acknowledge before they send what they read.
        timing: what happens first.
    """

    name: str
    placement: Placement = local
    cut: Cut = whole
    grows: bool = False
    message_samples: int = 100
    acknowledges_first: bool = True
    timing: Timing = Timing.NEAR_FIRST


STANDARD: Final = (
    Configuration("local"),
    Configuration("local, a segment for each sample", cut=pieces(1), message_samples=1),
    Configuration("local, segments that grow", grows=True, acknowledges_first=False),
    Configuration("remote", remote, runs, message_samples=2, timing=Timing.FAR_FIRST),
    Configuration("mixed, near first", mixed, pieces(2), acknowledges_first=False),
    Configuration("mixed, far first", mixed, message_samples=1, timing=Timing.FAR_FIRST),
    Configuration("mixed, eager", mixed, pieces(3), message_samples=1, timing=Timing.EAGER),
    Configuration("other gateway", turned, runs, message_samples=3, timing=Timing.RANDOM),
)
"""Configurations that differ in everything that must not show."""


@dataclass(frozen=True)
class Defects:
    """What is wrong with a system on purpose.

    Attributes:
        flaws: the flaws of its iterators.
        merge: what its gateway makes of acknowledgements, if not what it should.
        keeps_uncommitted: what a writer leaves uncommitted is committed by the next one.
    """

    flaws: frozenset[Flaw] = field(default=NONE)
    merge: Merge | None = None
    keeps_uncommitted: bool = False


SOUND: Final = Defects()
PLANTED: Final[Mapping[str, Defects]] = {
    "drops_rest_of_segment": Defects(frozenset({Flaw.LEAVES_UNFINISHED})),
    "partial_after_turning": Defects(frozenset({Flaw.STOPS_AT_AN_END})),
    "gives_up_between_segments": Defects(frozenset({Flaw.GIVES_UP_EARLY})),
    "last_acknowledgement_wins": Defects(merge=Merge.LAST),
    "end_of_file_at_border": Defects(frozenset({Flaw.STUMBLES_AT_A_START})),
    "repeats_at_chunk_border": Defects(frozenset({Flaw.MISCOUNTS_CHUNKS})),
    "fails_outside_segments": Defects(frozenset({Flaw.FAILS_OUTSIDE_SEGMENTS})),
    "commits_what_another_left": Defects(keeps_uncommitted=True),
}
"""Defects that real engines had, by name."""
