"""Nodes that are much slower than the others are passed over for a while: LogDevice, Read path, SCD greylisting."""

from __future__ import annotations

from typing import Any

from spec.events import EVERYONE, IS_DOWN, ONE, OTHERS_ARE_SLOWER, TERM_IS_OVER, Ask, Greylisted, NewEpoch, Reinstated
from tests.support.tiny import at, outcomes

READER = 9

TERM = 100
"""For how long nodes are listed here, in nanoseconds."""


def nodes(*some: int) -> frozenset[int]:
    return frozenset(some)


def epoch(copies: int = 3) -> dict[str, Any]:
    """Epoch 1 asks for so many copies."""
    return at(NewEpoch, 1, 0, sequencer=0, nodeset=nodes(0, 1, 2), replication={"node": copies})


def listed(esn: int, node: int = 1, **fields: Any) -> dict[str, Any]:
    """A reader takes a node for slow."""
    said = {"reader": READER, "node": node, "listed": nodes(node), "down": nodes(), "filters": 1, "term": TERM}
    return at(Greylisted, 1, esn, **(said | {"times": 0} | fields))


def back(esn: int, node: int = 1, **fields: Any) -> dict[str, Any]:
    """A reader no longer takes a node for slow."""
    said = {"reader": READER, "node": node, "listed": nodes(), "filters": 2, "term": TERM, "why": TERM_IS_OVER}
    return at(Reinstated, 1, esn, **(said | fields))


def ask(esn: int, filtered_out: frozenset[int] = frozenset(), **fields: Any) -> dict[str, Any]:
    """A reader asks node 0 to begin to send."""
    said = {"reader": READER, "node": 0, "upto_epoch": 1, "upto_esn": 20, "filters": 2, "mode": ONE}
    return at(Ask, 1, esn, **(said | {"filtered_out": filtered_out} | fields))


class TestTheList:
    """common/client_read_stream/ClientReadStreamScd.cpp, updateFailureDetectorWorkingSet and rewindWithOutliers."""

    def test_slow_nodes_and_those_that_are_down_are_fewer_than_the_copies(self) -> None:
        rule = "log.greylist.fewer_than_copies"
        assert outcomes(rule, epoch(), listed(1, listed=nodes(0, 1))) == ["holds"]
        assert outcomes(rule, epoch(), listed(1, down=nodes(0))) == ["holds"]
        assert outcomes(rule, epoch(), listed(1, listed=nodes(0, 1), down=nodes(2))) == ["violated"]
        assert outcomes(rule, epoch(copies=1), listed(1)) == ["violated"]

    def test_who_is_both_counts_once_and_who_comes_back_does_not_count(self) -> None:
        rule = "log.greylist.fewer_than_copies"
        assert outcomes(rule, epoch(copies=2), listed(1, down=nodes(1))) == ["holds"]
        assert outcomes(rule, epoch(copies=1), back(1, listed=nodes(0, 2))) == []

    def test_nodes_are_told_of_it_by_new_filters(self) -> None:
        rule = "log.greylist.others_send"
        assert outcomes(rule, listed(1), ask(1, nodes(1))) == ["holds"]
        assert outcomes(rule, listed(1), ask(1, nodes(1, 2))) == ["holds"]
        assert outcomes(rule, listed(1), ask(1)) == ["violated"]
        assert outcomes(rule, listed(1), back(2), ask(3, filters=3)) == ["holds"]

    def test_by_filters_that_it_had_before_nobody_is_told(self) -> None:
        """A node that is asked again in between uses the old list; where all send, there is none."""
        rule = "log.greylist.others_send"
        assert outcomes(rule, ask(1), listed(1, filters=2), ask(1)) == []
        assert outcomes(rule, listed(1), ask(1, mode=EVERYONE)) == []

    def test_a_changed_list_rewinds(self) -> None:
        rule = "log.greylist.change_rewinds"
        assert outcomes(rule, listed(1), back(2), listed(3, node=2, filters=3)) == ["holds"]
        assert outcomes(rule, listed(1), listed(2, node=2, listed=nodes(1, 2))) == ["violated"]
        assert outcomes(rule, listed(1), back(2), listed(3, filters=2)) == ["violated"]

    def test_nodes_may_be_listed_together(self) -> None:
        rule = "log.greylist.change_rewinds"
        assert outcomes(rule, listed(1, time=5), listed(1, node=2, time=5)) == []
        assert outcomes(rule, listed(1)) == []


class TestTerms:
    """common/client_read_stream/ClientReadStreamFailureDetector.cpp, changeOutliers and removeExpiredOutliers."""

    def test_a_node_that_is_reinstated_was_listed_for_its_term(self) -> None:
        rule = "log.greylist.keeps_its_term"
        assert outcomes(rule, listed(1, time=5), back(2, time=5 + TERM)) == ["holds"]
        assert outcomes(rule, listed(1, time=5), back(2, time=4 + TERM)) == ["violated"]

    def test_for_another_reason_it_may_be_back_before(self) -> None:
        rule = "log.greylist.keeps_its_term"
        for why in (IS_DOWN, OTHERS_ARE_SLOWER):
            assert outcomes(rule, listed(1, time=5), back(2, time=6, why=why)) == []
        assert outcomes(rule, listed(1, node=2, time=5), back(2, time=6)) == []

    def test_after_its_term_it_is_back(self) -> None:
        rule = "log.greylist.comes_back"
        late = 5 + TERM + 1
        assert outcomes(rule, listed(1, time=5), back(2), ask(3, filters=3, time=late)) == ["holds"]
        assert outcomes(rule, listed(1, time=5), ask(3, nodes(1), time=late)) == ["violated"]
        assert outcomes(rule, listed(1, time=5), ask(3, nodes(1), time=late - 1)) == []

    def test_the_next_term_is_longer(self) -> None:
        rule = "log.greylist.terms_adapt"

        def after(well: int, **fields: Any) -> list[str]:
            return outcomes(rule, listed(1), back(2, time=5), listed(3, time=5 + well, filters=3, times=1, **fields))

        assert after(10, term=2 * TERM) == ["holds"]
        assert after(10, term=3 * TERM) == ["violated"]
        assert after(10, term=TERM // 2) == ["violated"]
        assert after(3 * TERM // 2, term=TERM // 2) == ["holds"]

    def test_of_a_node_that_is_new_nothing_is_known(self) -> None:
        assert outcomes("log.greylist.terms_adapt", listed(1), back(2), listed(3, term=1, filters=3)) == []
