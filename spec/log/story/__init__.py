"""How the events of a log are told to people."""

from __future__ import annotations

from typing import Final

from spec.events.positions import UPTO
from spec.events.universes import NODES, READERS, WRITERS
from spec.language.story import Lanes, Plot, Story
from spec.log.story.phrases import PHRASES
from spec.log.story.remarks import REMARKS, rivals
from spec.log.story.table import READING, REBUILDING, WRITING

STORY: Final = Story(
    first=WRITING,
    then=(*READING, *REBUILDING),
    phrases=PHRASES,
    lanes=Lanes(
        order=(WRITERS, None, NODES, READERS),
        own=NODES,
        onlookers=READERS,
        down=frozenset({"crash", "pause", "wipe"}),
        up=frozenset({"restart", "resume"}),
        lasting=frozenset({"crash", "pause", "partition", "slow", "bad_checksum", "read_only"}),
    ),
    plot=Plot(
        identity="digest",
        reach=UPTO,
        first_low=1,
        compared={"after": 0, "perhaps_after": 0, "since": 1},
        legend="{outcome}",
        rivals=rivals,
        remarks=REMARKS,
    ),
    asking=frozenset({"client", "reader"}),
    serving=frozenset({"node", "sequencer"}),
)
"""Clients stand on the left of a picture, then whoever steers, then nodes, then readers."""
