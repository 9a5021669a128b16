"""What the numbers in events mean: contents, gaps, ways to be sent to, faults, and words of the event log."""

from __future__ import annotations

from typing import Final

RECORD: Final = 0
"""An ordinary record, as what a recovery decides for an LSN."""
HOLE: Final = 1
"""A hole plug: nothing was acknowledged at this LSN."""
BRIDGE: Final = 2
"""A bridge: the epoch ends here. Also the kind of gap that a bridge makes."""
CONTENTS: Final = {"record": RECORD, "hole": HOLE, "bridge": BRIDGE}
"""What an LSN may hold."""
DATALOSS: Final = 3
"""A gap over records that are lost, as far as the reader can tell."""
TRIM: Final = 4
"""A gap over records that were trimmed."""
ACCESS: Final = 5
"""A gap because the reader may not read further."""
NOT_IN_CONFIG: Final = 6
"""A gap because the log does not exist any more."""
FILTERED_OUT: Final = 7
"""A gap over records that the reader asked not to be given."""
SKIPPED: Final = 8
"""The reader went on without a word: systems that report no gaps only show that an LSN was passed over."""

GAP_KINDS: Final = {
    "hole": HOLE,
    "bridge": BRIDGE,
    "dataloss": DATALOSS,
    "trim": TRIM,
    "access": ACCESS,
    "not_in_config": NOT_IN_CONFIG,
    "filtered_out": FILTERED_OUT,
    "skipped": SKIPPED,
}
"""Kinds of gap, as LogDevice's client reports them (include/Record.h), and SKIPPED for systems that report none."""

GAP_CLAIMS: Final = {
    HOLE: "nothing is there",
    BRIDGE: "nothing is there: the epoch ends",
    DATALOSS: "something was there, and is lost; if it was acknowledged or given to any reader, that breaks a rule",
    TRIM: "what was there was trimmed; if it was acknowledged, somebody must have asked for that before",
    ACCESS: "says nothing of what is there: the reader may not read it",
    NOT_IN_CONFIG: "says nothing of what is there: the log does not exist any more",
    FILTERED_OUT: "says nothing of what is there: the reader did not want it",
    SKIPPED: "nothing is there: for systems whose readers go on in silence",
}
"""What each kind of gap claims of its LSNs."""

WITHDRAWN: Final = 0
"""A recovery decided otherwise for this LSN later, when it began anew under its seal."""
STANDING: Final = 1
"""It never decided otherwise."""
CORRECTED: Final = 2
"""It decided otherwise before, and not later."""

IN_SILENCE: Final = 1
"""A reader passed over LSNs without a word."""
NOT_TRIMMED: Final = 2
"""It was told that they were trimmed, and nobody had asked for that."""
PERHAPS_TRIMMED: Final = 3
"""It was told so, and nobody recorded what was trimmed, or clocks do not tell whether that was before."""

EVERYONE: Final = 0
"""All nodes that have a record send it to a reader."""
ONE: Final = 1
"""One of the nodes that have a record sends it."""
ONE_NEAR: Final = 2
"""One of them does that is near the reader, if there is one."""

TERM_IS_OVER: Final = 0
"""A reader took a node for slow for a while, and will measure it again."""
IS_DOWN: Final = 1
"""It takes the node to be down, which says more."""
HAS_LEFT: Final = 2
"""The node is none of those that it reads from."""
ALL_SEND: Final = 3
"""Everyone is to send, so nobody is passed over."""
OTHERS_ARE_SLOWER: Final = 4
"""Others were found that are slower still: it counts as one of the rest."""

CRASH: Final = 1
RESTART: Final = 2
PAUSE: Final = 3
RESUME: Final = 4
WIPE: Final = 5
PARTITION: Final = 6
HEAL: Final = 7
SLOW: Final = 8
STEADY: Final = 9
BAD_CHECKSUM: Final = 10
GOOD_CHECKSUM: Final = 11
READ_ONLY: Final = 12
WRITABLE: Final = 13
DRAIN: Final = 14
_FAULTS: Final = (
    "crash restart pause resume wipe partition heal slow steady "  # as numbered above
    "bad_checksum good_checksum read_only writable drain"
)
FAULTS: Final = {name: number for number, name in enumerate(_FAULTS.split(), CRASH)}
"""What can happen to a node."""

RESTORES: Final = 1
RELOCATES: Final = 2
IS_LOST: Final = 3
ACKNOWLEDGED: Final = 4
ABORTED: Final = 5
_DELTAS: Final = "restores relocates is_lost acknowledged aborted"
DELTAS: Final = {name: number for number, name in enumerate(_DELTAS.split(), RESTORES)}
"""What the event log may say of a node that is rebuilt: its data is to be restored elsewhere, or moved; it is lost for
good; the node serves again; the node keeps what it has."""
