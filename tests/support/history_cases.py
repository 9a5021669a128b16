"""Cases made by hand for the definition of what clients may see: of appends, of reads, and of gaps.

``spec.client.definition`` justifies each answer by the sentence whose number stands in front of the reason.
"""

from __future__ import annotations

from tests.support.history_stories import Case, story_of
from tests.support.history_time_cases import AB, HOLDS, OPEN, TIME_CASES, UNKNOWN, VIOLATED, A


def _of_appends() -> list[Case]:
    say = "r1: reads 1"
    return [
        Case(
            "as it should be",
            HOLDS,
            "1, 2: both were acknowledged and are read",
            story_of(*AB, say, "r1: given 1 7", "r1: given 2 8"),
        ),
        Case(
            "equal payloads",
            HOLDS,
            "1: an append is itself, whatever its payload",
            story_of(*A, "w1: b begins 7", "w1: b acked 2", say, "r1: given 1 7", "r1: given 2 7"),
        ),
        Case(
            "one payload, given twice, appended once",
            VIOLATED,
            "1: an append is at one LSN at most",
            story_of(*A, say, "r1: given 1 7", "r1: given 2 7"),
        ),
        Case(
            "refused then retried",
            HOLDS,
            "1: what is given is the second append",
            story_of("w1: a begins 7", "w1: a refused", "w1: b begins 7", "w1: b acked 1", say, "r1: given 1 7"),
        ),
        Case(
            "refused and given",
            VIOLATED,
            "1: a refused append lies nowhere",
            story_of("w1: a begins 7", "w1: a refused", say, "r1: given 1 7"),
        ),
        Case("unknown and given", HOLDS, "1: it may have happened", story_of(*OPEN, say, "r1: given 1 7")),
        Case(
            "unknown and not there",
            HOLDS,
            "1: it may not have happened",
            story_of(*OPEN, *("w1: b begins 8", "w1: b acked 2"), say, "r1: given 2 8"),
        ),
        Case(
            "pending and given",
            HOLDS,
            "1: it may have happened before the client heard of it",
            story_of("w1: a begins 7", say, "r1: given 1 7"),
        ),
        Case(
            "a retry of unknown outcome, both given",
            HOLDS,
            "1: two appends may both have happened",
            story_of(*OPEN, "w1: b begins 7", "w1: b acked 2", say, "r1: given 1 7", "r1: given 2 7"),
        ),
        Case(
            "a retry of unknown outcome, given three times",
            VIOLATED,
            "1: two appends are at two LSNs at most",
            story_of(*OPEN, "w1: b begins 7", "w1: b acked 2", say, *(f"r1: given {lsn} 7" for lsn in (1, 2, 3))),
        ),
        Case(
            "one append acknowledged twice",
            VIOLATED,
            "1: two LSNs for one append",
            story_of("w1: a begins 7", "w1: a acked 1 2"),
        ),
        Case(
            "one append acknowledged again at its LSN",
            HOLDS,
            "1: one LSN, told twice",
            story_of("w1: a begins 7", "w1: a acked 1 1", say, "r1: given 1 7"),
        ),
        Case(
            "two appends acknowledged at one LSN",
            VIOLATED,
            "1: an LSN holds one append at most",
            story_of(*A, "w2: b begins 7", "w2: b acked 1"),
        ),
        Case(
            "staircase",
            VIOLATED,
            "1, 5: each append fits one of both LSNs, but both fit the second only",
            story_of(
                "w2: c begins 9",
                "w2: c acked 1",
                "w2: a begins 7",
                "w1: d begins 9",
                "w1: d acked 4",
                "w1: b begins 7",
                say,
                "r1: given 1 9",
                "r1: given 2 7",
                "r1: given 3 7",
                "r1: given 4 9",
            ),
        ),
        Case(
            "staircase with a step for each",
            HOLDS,
            "1, 5: one append fits the earlier LSN, the other the later",
            story_of(
                "w2: c begins 9",
                "w2: c acked 1",
                "w2: a begins 7",
                "w1: d begins 9",
                "w1: d acked 3",
                "w1: b begins 7",
                say,
                "r1: given 1 9",
                "r1: given 2 7",
                "r1: given 3 9",
                "r1: given 4 7",
            ),
        ),
    ]


def _of_reads() -> list[Case]:
    say, again = "r1: reads 1", ("r1: reads 1", "r1: given 1 7", "r1: given 2 8")
    third = ("w1: c begins 9", "w1: c acked 3")
    return [
        Case("invented", VIOLATED, "2: nobody appended it", story_of(say, "r1: given 1 7")),
        Case(
            "another payload than acknowledged",
            VIOLATED,
            "2: at the LSN is what was acknowledged",
            story_of(*A, "w1: b begins 8", say, "r1: given 1 8"),
        ),
        Case(
            "exchanged",
            VIOLATED,
            "2: each is at the LSN of the other",
            story_of(*AB, say, "r1: given 1 8", "r1: given 2 7"),
        ),
        Case(
            "readers that differ",
            VIOLATED,
            "2: an LSN holds one append",
            story_of(*OPEN, "w2: b begins 8", say, "r1: given 1 7", "r2: reads 1", "r2: given 1 8"),
        ),
        Case(
            "silent skip",
            VIOLATED,
            "3: between LSNs that are given one after the other there is nothing",
            story_of(*AB, *third, say, "r1: given 1 7", "r1: given 3 9"),
        ),
        Case(
            "silent skip at the start",
            VIOLATED,
            "3: between the start and the first LSN there is nothing",
            story_of(*AB, say, "r1: given 2 8"),
        ),
        Case(
            "silent skip of what another is given",
            VIOLATED,
            "3: nobody acknowledged it, but it is there",
            story_of(
                *OPEN,
                "w2: b begins 8",
                "w2: b acked 2",
                say,
                "r1: given 1 7",
                "r1: given 2 8",
                "r2: reads 1",
                "r2: given 2 8",
            ),
        ),
        Case(
            "numbers that nothing has",
            HOLDS,
            "3: what is passed over in silence is empty",
            story_of(*A, "w1: b begins 8", "w1: b acked 5", say, "r1: given 1 7", "r1: given 5 8"),
        ),
        Case(
            "begins behind what is there",
            HOLDS,
            "3: it never asked for the first",
            story_of(*AB, "r1: reads 2", "r1: given 2 8"),
        ),
        Case("begins anew", HOLDS, "3: LSNs grow within each read", story_of(*AB, *again, *again)),
        Case(
            "goes back without beginning anew",
            VIOLATED,
            "3: within a read LSNs grow",
            story_of(*AB, *again, "r1: given 1 7"),
        ),
        Case(
            "the same again",
            VIOLATED,
            "3: LSNs grow, each is given once",
            story_of(*A, say, "r1: given 1 7", "r1: given 1 7"),
        ),
        Case(
            "before its start",
            VIOLATED,
            "3: LSNs grow from where it began",
            story_of(*A, "r1: reads 2", "r1: given 1 7"),
        ),
        Case(
            "begins anew and misses one",
            VIOLATED,
            "3: the second read passes over what the first was given",
            story_of(*AB, *again, say, "r1: given 2 8"),
        ),
        Case(
            "a reader that moves",
            HOLDS,
            "3: its order is its own, without clocks",
            story_of(*AB, "r1@x: reads 1", "r1@x: given 1 7", "r1@y: given 2 8", clocks=False),
        ),
        Case(
            "a reader that moves and misses one",
            VIOLATED,
            "3: silence counts, whoever recorded it",
            story_of(*AB, *third, "r1@x: reads 1", "r1@x: given 1 7", "r1@y: given 3 9", clocks=False),
        ),
    ]


def _of_gaps() -> list[Case]:
    say, trim = "r1: reads 1", "control@t: trims 1"
    lost = (say, "r1: gap 1 1 dataloss", "r1: given 2 8")
    trimmed = (say, "r1: gap 1 1 trim", "r1: given 2 8")
    open_first = (*OPEN, "w1: b begins 8", "w1: b acked 2")
    return [
        *(
            Case(
                f"{kind} over an acknowledged record",
                VIOLATED,
                "3: it says that nothing is there",
                story_of(*AB, say, f"r1: gap 1 1 {kind}", "r1: given 2 8"),
            )
            for kind in ("hole", "bridge", "skipped")
        ),
        Case(
            "hole over nothing",
            HOLDS,
            "3: the append of unknown outcome never happened",
            story_of(*open_first, say, "r1: gap 1 1 hole", "r1: given 2 8"),
        ),
        Case(
            "hole over what another is given",
            VIOLATED,
            "3: it is there",
            story_of(*open_first, say, "r1: given 1 7", "r2: reads 1", "r2: gap 1 1 hole", "r2: given 2 8"),
        ),
        Case("loss of an acknowledged record", VIOLATED, "3: told or not, it is lost", story_of(*AB, *lost)),
        Case(
            "loss of what another is given",
            VIOLATED,
            "3: somebody knows of it",
            story_of(*open_first, *lost, "r2: reads 1", "r2: given 1 7", "r2: given 2 8"),
        ),
        Case("loss of what nobody knows of", HOLDS, "3: neither acknowledged nor given", story_of(*open_first, *lost)),
        Case("trim that nobody records", UNKNOWN, "3: it may have been trimmed", story_of(*AB, *trimmed)),
        Case(
            "trim that nobody records, and a hole",
            VIOLATED,
            "3: not the trim alone stands in the way",
            story_of(*AB, *trimmed, "r2: reads 1", "r2: gap 1 2 hole"),
        ),
        Case("trimmed before", HOLDS, "3: it was asked before it was told", story_of(*AB, trim, *trimmed, trims=True)),
        Case("trimmed after", VIOLATED, "3: it was asked too late", story_of(*AB, *trimmed, trim, trims=True)),
        Case(
            "trimmed perhaps before",
            UNKNOWN,
            "3: within the bound of the clocks",
            story_of(*AB, *trimmed, trim, trims=True, bound=50),
        ),
        Case(
            "never trimmed", VIOLATED, "3: trims are recorded, and there is none", story_of(*AB, *trimmed, trims=True)
        ),
        Case(
            "not trimmed so far",
            VIOLATED,
            "3: the trim does not reach there",
            story_of(*AB, trim, say, "r1: gap 1 2 trim", trims=True),
        ),
        Case(
            "trim over nothing", HOLDS, "3: nobody knows of anything there", story_of(*open_first, *trimmed, trims=True)
        ),
        *(
            Case(
                f"{kind} over an acknowledged record",
                HOLDS,
                "3: it says nothing of what is there",
                story_of(*AB, say, f"r1: gap 1 1 {kind}", "r1: given 2 8"),
            )
            for kind in ("access", "not_in_config", "filtered_out")
        ),
    ]


CASES = [*_of_appends(), *_of_reads(), *_of_gaps(), *TIME_CASES]
"""Every case made by hand."""
