"""Before an audit goes on from an earlier one, bookies are asked about some of what they had.

Justified by ``conformance.record.bookkeeper_samples``: a bookie that came back empty, or is silent, shows in a sample.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import cast

import pytest

from conformance.record.bookkeeper_batches import Pair
from conformance.record.bookkeeper_live import LiveCluster
from conformance.record.bookkeeper_samples import SAMPLE, sampled
from reference_impl.ledger.checker.earlier import Earlier, Sound
from reference_impl.ledger.checker.state import Versioned
from tests.support.ledger_cluster import SmallCluster, closed

LEDGERS = 10 * SAMPLE
EARLIER = Earlier(dict.fromkeys(range(LEDGERS), Sound(1, 0)), frozenset("abcd"))


class Asked:
    """A cluster of many ledgers that are whole, but for what is taken from it."""

    def __init__(self) -> None:
        self.small = SmallCluster()
        self.pairs = list[Pair]()
        for ledger in range(LEDGERS):
            self.small.add(ledger, closed())

    def metadata(self, ledgers: Sequence[int]) -> Callable[[], Mapping[int, object]]:
        return lambda: {one: self.small.metadatas.get(one) for one in ledgers}

    def lists(self, pairs: Sequence[Pair]) -> Callable[[], Mapping[Pair, bytes | None]]:
        self.pairs += pairs
        return lambda: {(one, who): self.small.held[one].get(who, None if who == "d" else b"") for one, who in pairs}

    def trusted(self) -> str:
        return "".join(sorted(sampled(cast("LiveCluster", self), EARLIER).present))


def test_who_has_all_of_a_sample_is_trusted_and_who_is_silent_is_not() -> None:
    """The sample is small, and spread over all ledgers; whoever has nothing of it is asked for an answer, too."""
    asked = Asked()
    assert asked.trusted() == "abc"
    assert 3 * SAMPLE <= len(asked.pairs) <= 4 * SAMPLE
    assert max(asked.pairs)[0] > LEDGERS - 2 * LEDGERS // SAMPLE


@pytest.mark.parametrize("sent", [None, b"", closed], ids=["silent", "damaged", "empty"])
def test_who_came_back_without_what_it_had_is_not_trusted(sent: object) -> None:
    asked = Asked()
    whole = asked.small.held[0]["a"]
    asked.small.add(0, closed(), lost=[("b", entry) for entry in range(6)])
    nothing = asked.small.held[0]["b"]
    asked.small.metadatas[0] = Versioned(closed(), 1)
    for ledger in range(LEDGERS):
        asked.small.held[ledger] = {"a": whole, "c": asked.small.held[0]["c"]}
        if sent is not None:
            asked.small.held[ledger]["b"] = nothing if sent is closed else b"short"
    assert asked.trusted() == "ac"


def test_what_changed_or_is_gone_is_no_sample() -> None:
    asked = Asked()
    for ledger in range(LEDGERS):
        asked.small.add(ledger, closed(), lost=[("a", 0)])
    assert asked.trusted() == "abc"
    asked.small.metadatas.clear()
    assert asked.trusted() == "abc"


def test_where_nothing_was_sound_nobody_is_asked() -> None:
    asked = Asked()
    assert sampled(cast("LiveCluster", asked), Earlier()) == Earlier()
    assert not asked.pairs
