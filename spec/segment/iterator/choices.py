"""What the document leaves open, each question with its answers by name.

The first answer of each question is the one that makes what a caller sees a function of the samples alone, or that the
document is nearest to.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final


class Target(Enum):
    """What does a seek look for? The document says segments, and so shows how samples were written."""

    SAMPLE = "the sample at that time or beside it"
    SEGMENT = "the segment that holds that time or lies beside it"


class FailedSeek(Enum):
    """Where does a seek that found nothing leave the iterator?"""

    NOWHERE = "nowhere: moves read nothing until a seek succeeds"
    UNMOVED = "where it was"


class NegativeSpan(Enum):
    """What does a move over a span below zero read?"""

    NOTHING = "nothing, and it does not move"
    OPPOSITE = "the opposite way"


class ChunkEdge(Enum):
    """Where does a chunk end, as there are many times between its last sample and the one after it?"""

    NEIGHBOUR = "at the neighbour that it leaves out, or at the bound"
    LAST_SAMPLE = "right behind its last sample"


class Merge(Enum):
    """What do unequal acknowledgements, of several channels or nodes, come to?"""

    ALL = "true if all are"
    ANY = "true if any is"
    LAST = "what came last, which makes the answer a matter of timing"


class Visibility(Enum):
    """Does an iterator see what is written while it is open?"""

    LIVE = "each call reads what is stored by then"
    SNAPSHOT = "all calls read what was stored when it was opened"


@dataclass(frozen=True)
class Choices:
    """An answer to each question."""

    target: Target = Target.SAMPLE
    failed_seek: FailedSeek = FailedSeek.NOWHERE
    negative_span: NegativeSpan = NegativeSpan.NOTHING
    chunk_edge: ChunkEdge = ChunkEdge.NEIGHBOUR
    merge: Merge = Merge.ALL
    visibility: Visibility = Visibility.LIVE


BY_SAMPLE: Final = Choices()
"""What a caller sees depends on the samples and nothing else."""

BY_SEGMENT: Final = Choices(target=Target.SEGMENT)
"""As the document has it: seeks look for segments, so whoever seeks sees how samples were written."""
