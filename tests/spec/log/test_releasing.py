"""When records may be read, and what may become of them then."""

from __future__ import annotations

from typing import Any

from spec.events import BRIDGE, HOLE, RECORD, Clean, Mutate, Release
from tests.support.tiny import at, outcomes


def mutate(becomes: int, time: int, recovery: int = 2) -> dict[str, Any]:
    """A recovery decides what the first LSN of epoch 1 is to be."""
    return at(Mutate, 1, 1, becomes=becomes, recovery=recovery, time=time, digest=7)


def test_what_is_released_is_plugged_no_more() -> None:
    rule, release = "log.release.stays_a_record", at(Release, 1, 2, time=5)
    assert outcomes(rule, mutate(HOLE, 4), release) == ["holds"]
    assert outcomes(rule, mutate(HOLE, 6), release) == ["violated"]
    assert outcomes(rule, mutate(BRIDGE, 6), release) == ["violated"]
    assert outcomes(rule, mutate(HOLE, 4), release, mutate(HOLE, 6, recovery=3)) == ["holds"], "it had been one before"
    assert outcomes(rule, mutate(HOLE, 6)) == ["holds"], "nothing was released"
    newer = at(Clean, 1, 1, recovery=3, time=4)
    assert outcomes(rule, mutate(HOLE, 6), newer, release) == ["holds"], "nodes refuse it"
    assert outcomes(rule, mutate(HOLE, 6, recovery=3), newer, release) == ["violated"]
    assert outcomes(rule, mutate(HOLE, 6), at(Clean, 1, 1, recovery=3, time=7), release) == ["violated"]
    same, last = at(Clean, 1, 1, recovery=2, time=4), at(Clean, 1, 1, recovery=3, time=7)
    assert outcomes(rule, mutate(HOLE, 6), same, last, release) == ["violated"], "none later had finished it by then"
    assert outcomes(rule, mutate(RECORD, 6), release) == []
