"""Versions of rows are sets like any other, whichever of them is asked, and in whatever order.

Frozen sets are the model: whatever is done to both, they stay equal.
"""

from __future__ import annotations

import random

from spec.language.protocol.sharing import SharedRows
from spec.language.protocol.states import Row

ROWS: list[Row] = [(one, other) for one in range(4) for other in range(3)]


def test_versions_are_the_sets_that_frozen_sets_would_be() -> None:
    for seed in range(40):
        choose = random.Random(seed)
        versions: list[tuple[SharedRows, frozenset[Row]]] = [(SharedRows.of(ROWS[:3]), frozenset(ROWS[:3]))]
        for _ in range(60):
            shared, model = choose.choice(versions)
            some = frozenset(choose.sample(ROWS, choose.randrange(4)))
            versions.append((shared | some, model | some) if choose.random() < 0.6 else (shared - some, model - some))
            one, other = choose.choice(versions), choose.choice(versions)
            assert set(one[0]) == one[1] == one[0]
            assert len(one[0]) == len(one[1])
            assert [row in one[0] for row in ROWS] == [row in one[1] for row in ROWS]
            assert (one[0] == other[0]) == (one[1] == other[1])
            assert one[1] != other[1] or hash(one[0]) == hash(other[0])


def test_what_changes_nothing_is_the_same_version() -> None:
    rows = SharedRows.of(ROWS[:3])
    assert rows | frozenset(ROWS[:2]) is rows
    assert rows - frozenset(ROWS[5:]) is rows


def test_only_versions_that_follow_each_other_are_in_one_line() -> None:
    start = SharedRows.of(ROWS[:3])
    more = start | {ROWS[3]}
    fork, less = start | {ROWS[4]}, more - {ROWS[0]}
    assert more.growing is start.growing
    assert fork.growing is not start.growing
    assert less.growing is not more.growing
    assert less.shrinking is more.shrinking is not start.shrinking
