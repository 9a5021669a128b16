"""Cases made by hand for the definition of what clients may see: of ends of the log, of order, and of causes.

``spec.client.definition`` justifies each answer by the sentence whose number stands in front of the reason.
"""

from __future__ import annotations

from spec.language.outcomes import Verdict
from tests.support.history_stories import Case, story_of

HOLDS, VIOLATED, UNKNOWN = Verdict.HOLDS, Verdict.VIOLATED, Verdict.UNKNOWN
A = ("w1: a begins 7", "w1: a acked 1")
AB = (*A, "w1: b begins 8", "w1: b acked 2")
OPEN = ("w1: a begins 7", "w1: a unknown")


def _of_ends() -> list[Case]:
    say = ("r1: reads 1", "r1: given 1 7")
    before = ("r1: reads 1", "r1: asks")
    return [
        Case("at the end", HOLDS, "4: nothing lies behind it", story_of(*A, *say, "r1: end 2")),
        Case(
            "at the end before what was acknowledged",
            VIOLATED,
            "4: it lies there, and was acknowledged before",
            story_of(*AB, *say, "r1: end 2"),
        ),
        Case(
            "at the end while it is appended",
            HOLDS,
            "4: the acknowledgement came after it asked",
            story_of(*A, *say, "w1: b begins 8", "r1: asks", "w1: b acked 2", "r1: end 2"),
        ),
        Case(
            "at the end before what is of unknown outcome",
            HOLDS,
            "4: it was not acknowledged",
            story_of(*A, "w1: b begins 8", "w1: b unknown", *say, "r1: end 2", "r1: given 2 8"),
        ),
        Case(
            "at the end, asked within the bound",
            UNKNOWN,
            "4: it may have asked before or after",
            story_of(*A, *say, "w1@x: b begins 8", "w1@x: b acked 2", "r1: end 2", bound=15),
        ),
        Case(
            "at the end, asked certainly later",
            VIOLATED,
            "4: the clocks differ by more than their bound",
            story_of(*A, *say, "w1@x: b begins 8", "w1@x: b acked 2", "r1: asks", "r1: asks", "r1: end 2", bound=15),
        ),
        Case(
            "at the end, and nothing else",
            UNKNOWN,
            "whether anything is lost was not asked",
            story_of(*before, *A, "r1: end 1"),
        ),
    ]


def _of_order() -> list[Case]:
    later = ("w1: a begins 7", "w1: a acked 2", "w1: b begins 8", "w1: b acked 1")
    others = ("w1@x: a begins 7", "w1@x: a acked 2", "w2@y: b begins 8", "w2@y: b acked 1")
    both = ("r1: reads 1", "r1: given 1 8", "r1: given 2 7")
    moved = ("w1@x: a begins 7", "w1@x: a acked 2", "w1@y: b begins 8", "w1@y: b acked 1", *both)
    return [
        Case("a later append lies earlier", VIOLATED, "5: of one client always", story_of(*later, *both)),
        Case(
            "order that is not adjacent",
            VIOLATED,
            "5: another append lies between",
            story_of(
                "w1: b begins 2", "w1: c begins 3", "w1: c acked 3", "w1: a begins 1", "w1: a acked 1", "w1: b acked 2"
            ),
        ),
        Case(
            "appends that overlap",
            HOLDS,
            "5: neither began after the other was acknowledged",
            story_of("w1: a begins 7", "w1: b begins 8", "w1: a acked 2", "w1: b acked 1", *both),
        ),
        Case(
            "after one of unknown outcome",
            HOLDS,
            "5: only acknowledged appends bind what comes later",
            story_of("w1: a begins 7", "w1: a unknown", "w1: b begins 8", "w1: b acked 1", *both),
        ),
        Case(
            "a later one of unknown outcome lies earlier",
            VIOLATED,
            "5: if it lies anywhere, it lies later",
            story_of("w1: a begins 7", "w1: a acked 2", "w1: b begins 8", "w1: b unknown", *both),
        ),
        Case("a later one of two clients", HOLDS, "5: not promised", story_of(*others, *both)),
        Case(
            "a later one of two clients, as promised",
            VIOLATED,
            "5: promised, and clocks are exact",
            story_of(*others, *both, promised=True),
        ),
        Case(
            "skew within the bound",
            UNKNOWN,
            "5: which was first is not known",
            story_of(*others, *both, promised=True, bound=10),
        ),
        Case(
            "skew beyond the bound",
            VIOLATED,
            "5: the clocks differ by more",
            story_of(*others, *both, promised=True, bound=9),
        ),
        Case(
            "two clients without clocks",
            HOLDS,
            "5: nothing shows which was first",
            story_of(*others, *both, promised=True, clocks=False),
        ),
        Case(
            "two clients and what one was given",
            VIOLATED,
            "5: a chain: the second saw what the first did after",
            story_of(
                "w1@x: a begins 7",
                "w1@x: a acked 2",
                "w1@x: c begins 9",
                "r2@y: reads 3",
                "r2@y: given 3 9",
                "w2@y: b begins 8",
                "w2@y: b acked 1",
                *both,
                "r1: given 3 9",
                promised=True,
                clocks=False,
            ),
        ),
        Case("a writer that moves", VIOLATED, "5: exact clocks tell its order", story_of(*moved)),
        Case("a writer that moves without clocks", HOLDS, "5: nothing shows its order", story_of(*moved, clocks=False)),
        Case(
            "two that move past each other",
            VIOLATED,
            "5: each may have been first, but not both",
            story_of(
                "w1@x: a begins 1",
                "w1@x: a acked 4",
                "w2@y: c begins 3",
                "w2@y: c acked 3",
                "w1@y: b begins 2",
                "w1@y: b acked 1",
                "w2@x: d begins 4",
                "w2@x: d acked 2",
                clocks=False,
            ),
        ),
        Case(
            "one that moves past",
            UNKNOWN,
            "5: nobody reads, and it may have been first",
            story_of("w1@x: a begins 1", "w1@x: a acked 4", "w1@y: b begins 2", "w1@y: b acked 1", clocks=False),
        ),
    ]


def _of_causes() -> list[Case]:
    early = ("r1@x: reads 1", "r1@x: given 1 7", "w1@y: a begins 7", "w1@y: a acked 1")
    return [
        Case("given before it began", VIOLATED, "6: clocks are exact", story_of(*early)),
        Case(
            "given before it began, one recorder",
            VIOLATED,
            "6: its order needs no clock",
            story_of("r1: reads 1", "r1: given 1 7", *A, clocks=False),
        ),
        Case(
            "given before it began, by a clock that is behind",
            UNKNOWN,
            "6: within the bound it may have begun before",
            story_of(*early, bound=10),
        ),
        Case("given, without clocks", HOLDS, "6: what is given began before", story_of(*early, clocks=False)),
        Case(
            "given before the retry began",
            HOLDS,
            "6: it is the first append",
            story_of(*OPEN, "r1: reads 1", "r1: given 1 7", "w1: b begins 7"),
        ),
        Case(
            "each given before the other began",
            VIOLATED,
            "6: a circle, without clocks",
            story_of(
                "r1@x: reads 1",
                "r1@x: given 1 7",
                "w1@x: b begins 8",
                "r2@y: reads 2",
                "r2@y: given 2 8",
                "w2@y: a begins 7",
                clocks=False,
            ),
        ),
        Case(
            "recorders and clocks that contradict each other",
            UNKNOWN,
            "no true times at all: a clock went back, or lies",
            story_of("w1@x: a begins 7", "r1@y: reads 1", "w1@z: a acked 1", "r1@y: given 1 7", ahead={"z": -25}),
        ),
        Case(
            "contradiction, and two LSNs",
            VIOLATED,
            "1: whatever the times are",
            story_of("w1@x: a begins 7", "r1@y: reads 1", "w1@z: a acked 1 2", ahead={"z": -25}),
        ),
        Case("nothing happened", UNKNOWN, "nothing was asked", story_of()),
        Case("nobody reads", UNKNOWN, "whether anything is lost was not asked", story_of(*AB)),
        Case(
            "read elsewhere",
            UNKNOWN,
            "the read came to no acknowledged LSN",
            story_of(*OPEN, "w1: b begins 8", "w1: b acked 2", "r1: reads 1", "r1: given 1 7"),
        ),
    ]


TIME_CASES = [*_of_ends(), *_of_order(), *_of_causes()]
