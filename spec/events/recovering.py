"""Events of recovery: seals, digests, what is decided of an epoch, and how nodes learn of it."""

from __future__ import annotations

from typing import Final

from spec.events.happening import AtNode, Positioned, Written
from spec.events.universes import NODES
from spec.events.values import CONTENTS, CORRECTED, WITHDRAWN
from spec.language.events import Told, members, number, small

DECIDED: Final = Told(("mutate",))
"""What tells whether a recovery decided otherwise when it began anew."""


class Seal(AtNode, kind=9, word="seal"):
    """A node promised to take no more appends of this epoch and those before it."""


class Digest(Written, AtNode, kind=10, word="digest"):
    """A node told a recovery which record it holds at an LSN."""

    recovery = number("version", "the epoch of the recovery that asked", optional=True, least=1)


class Planned(Positioned, kind=20, word="plan"):
    """A recovery has heard enough of an epoch and decided what becomes of it; the LSN is the epoch's first, 0."""

    recovery = number("version", "the epoch of the recovery", optional=True, least=1)
    round = small("arg", "how often it has decided, under one seal", optional=True, least=1)
    heard = members("nodes", "the nodes that told what they hold", NODES)
    written = members("nodes_b", "those of them to which the outcome is written", NODES, optional=True)
    statuses = small("arg_b", "the version of the status table that the recovery used", optional=True, least=0)


class Mutate(Written, kind=11, word="mutate"):
    """A recovery decided what an LSN is to be."""

    becomes = small("arg_b", "RECORD, HOLE or BRIDGE", words=CONTENTS)
    recovery = number("version", "the epoch of the recovery", optional=True, least=1)
    standing = number(
        "held",
        "WITHDRAWN if the same recovery decided otherwise here later, CORRECTED if it did before, else STANDING",
        optional=True,
        among=(WITHDRAWN, CORRECTED),
        told=DECIDED,
        bits=16,
    )


class Instructed(AtNode):
    """Anything that a node does at a recovery's word: it stores what was decided, or takes the epoch for clean."""


class MutationStored(Instructed, kind=21, word="obey"):
    """A node holds what a recovery decided for some LSNs of an epoch; the LSN is the epoch's first, 0."""

    recovery = number("version", "the epoch of the recovery", optional=True, least=1)
    round = small("arg", "how often it had decided", optional=True, least=1)


class Clean(Positioned, kind=12, word="clean"):
    """A recovery finished an epoch: it is the last clean epoch of its log. The LSN is that of the bridge."""

    recovery = number("version", "the epoch of the recovery", optional=True, least=1)


class CleanLearned(Instructed, kind=22, word="settle"):
    """A node learnt what became of an epoch; the LSN is the epoch's first, 0."""

    recovery = number("version", "the epoch of the recovery that finished it", optional=True, least=1)


class Purged(AtNode, kind=25, word="purge"):
    """A node repaired its copies of an epoch, so that it may be read there; the LSN is the epoch's first, 0."""

    recovery = number("version", "the epoch of the recovery by whose outcome it did; 0 if it knew of none", least=0)


class PurgeSurvivor(Written, AtNode, kind=26, word="kept"):
    """A node that purged an epoch still holds this, after the last ESN that was known to be good."""

    becomes = small("arg_b", "RECORD, HOLE or BRIDGE", words=CONTENTS)
    recovery = number("version", "the epoch of the recovery that wrote it, 0 for the sequencer", least=0)


class Release(Positioned, kind=13, word="release"):
    """Everything of the log up to this LSN may be read."""
