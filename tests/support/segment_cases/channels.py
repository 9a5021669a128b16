"""Cases of the rules on channels and on what nodes know of them."""

from __future__ import annotations

from typing import Final

from spec.segment.channel_numbers import key_of
from tests.support.segment_cases.recording import OTHER, Case, and_then, but, moved, said, without

CASES: Final = (
    Case(
        "segment.key.unique",
        "A leaseholder gives out two keys.",
        "A leaseholder gives one key to two channels.",
        [said("channel_created"), said("channel_created", channel=key_of(1, 2))],
        but(1, channel=key_of(1, 1)),
    ),
    Case(
        "segment.key.counts_on",
        "A key is given out after that of a channel that is deleted by then.",
        "After a channel was deleted, a smaller key is given out than its own.",
        [
            said("channel_created", channel=key_of(1, 5)),
            said("channel_deleted", channel=key_of(1, 5)),
            said("channel_created", channel=key_of(1, 6)),
        ],
        but(2, channel=key_of(1, 4)),
    ),
    Case(
        "segment.key.names_leaseholder",
        "The key begins with the leaseholder.",
        "The key begins with another node than the leaseholder.",
        [said("channel_created", channel=OTHER, leaseholder=2)],
        but(0, leaseholder=0),
    ),
    Case(
        "segment.channel.never_changes",
        "A node learns of a channel as it was created.",
        "A node learns of another rate than a channel was created with.",
        [said("channel_created"), said("channel_learnt")],
        but(1, period=20),
    ),
    Case(
        "segment.store.has_density",
        "Samples have the eight bytes that their channel has.",
        "Samples of four bytes are stored in a channel of eight.",
        [said("channel_created"), said("stored")],
        but(1, density=4),
    ),
    Case(
        "segment.store.at_leaseholder",
        "The leaseholder stores a segment that came in through another node.",
        "The gateway stores a segment of a channel that another node leads.",
        [said("stored", channel=OTHER, node=2)],
        but(0, node=0),
    ),
    Case(
        "segment.store.keeps_its_rate",
        "Two samples are a period apart.",
        "Two samples are three periods apart and told as one segment.",
        [said("channel_created"), said("stored", samples=2, last=20)],
        but(1, last=40),
    ),
    Case(
        "segment.store.disjoint",
        "A segment begins a period after the one before it ends.",
        "A segment begins at the last sample of the one before it.",
        [said("stored"), said("stored", request=2, start=40, last=60, digest=8)],
        but(1, start=30, last=50),
    ),
    Case(
        "segment.gossip.never_invents",
        "A node learns of a channel once it was created.",
        "A node learns of a channel that nobody created.",
        [said("channel_created"), said("channel_learnt"), said("channel_learnt", node=2)],
        but(2, channel=key_of(1, 2)),
    ),
    Case(
        "segment.gossip.forgets_after_delete",
        "A node forgets a channel after it was deleted.",
        "A node forgets a channel, and only then it is deleted.",
        [said("channel_created"), said("channel_learnt"), said("channel_deleted"), said("channel_forgotten")],
        moved(2, 3),
    ),
    Case(
        "segment.gossip.reaches_all",
        "Both nodes that live learn of a channel; the third died.",
        "A node that lives never learns of a channel.",
        [
            said("membership"),
            said("membership", node=1),
            said("membership", node=2),
            said("channel_created"),
            said("channel_learnt", node=1),
            said("membership", node=2, what=2),
            said("channel_learnt"),
        ],
        without(6),
        promises=["quiet"],
    ),
    Case(
        "segment.gossip.ranges_are_stored",
        "Metadata tell of the one segment that is stored.",
        "Metadata tell of a segment that nobody has.",
        [said("stored"), said("range_known")],
        and_then(said("range_known", start=50)),
        promises=["range_metadata"],
    ),
)
