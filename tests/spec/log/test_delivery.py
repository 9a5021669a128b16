"""What nodes send to readers, and what readers ask of them."""

from __future__ import annotations

from typing import Any

import pytest

from spec.events import (
    BRIDGE,
    DATALOSS,
    EVERYONE,
    HOLE,
    ONE,
    RECORD,
    Allow,
    Ask,
    Deliver,
    Gap,
    Rebuilt,
    Release,
    Ship,
    Store,
)
from tests.support.tiny import at, outcomes

READER = 9


def ship(esn: int, node: int = 0, **fields: Any) -> dict[str, Any]:
    """A node sends a record of epoch 1, whose digest is its ESN, within a window up to ESN 9."""
    said = {"reader": READER, "life": 1, "order": 1, "becomes": RECORD, "digest": esn, "upto_epoch": 1, "upto_esn": 9}
    return at(Ship, 1, esn, **(said | {"node": node} | fields))


def store(esn: int, node: int = 0) -> dict[str, Any]:
    """A node stores a record of epoch 1."""
    return at(Store, 1, esn, node=node, digest=esn, becomes=RECORD, wave=1, recovery=0, copyset=frozenset({0, 1}))


def rebuilt(esn: int, node: int) -> dict[str, Any]:
    """A donor gives a node a copy of a record of epoch 1."""
    return at(Rebuilt, 1, esn, node=node, digest=esn, becomes=RECORD, began=1, donor=0, copyset=frozenset({0, 1}))


def ask(esn: int, high: int = 20, **fields: Any) -> dict[str, Any]:
    """A reader asks node 0 to begin to send."""
    said = {"reader": READER, "node": 0, "upto_epoch": 1, "upto_esn": high, "filters": 1, "mode": EVERYONE}
    return at(Ask, 1, esn, **(said | {"filtered_out": frozenset()} | fields))


def allow(esn: int, high: int, capacity: int = 10) -> dict[str, Any]:
    """A reader allows node 0 to send further."""
    return at(Allow, 1, esn, reader=READER, node=0, upto_epoch=1, upto_esn=high, capacity=capacity)


def deliver(esn: int, digest: int) -> dict[str, Any]:
    """A reader is given a record."""
    return at(Deliver, 1, esn, reader=READER, digest=digest)


def gap(esn: int, reason: int = DATALOSS) -> dict[str, Any]:
    """A reader is told of a gap of two LSNs."""
    return at(Gap, 1, esn, reader=READER, upto_epoch=1, upto_esn=esn + 1, reason=reason)


class TestNodes:
    """LogDevice, Read path, How reads happen and Flow control."""

    def test_they_send_what_they_hold(self) -> None:
        rule = "log.deliver.sends_what_it_holds"
        assert outcomes(rule, store(1), ship(1)) == ["holds"]
        assert outcomes(rule, store(1), ship(1), ship(1, node=1)) == ["violated"]
        assert outcomes(rule, store(1), rebuilt(1, node=1), ship(1), ship(1, node=1)) == ["holds"]
        assert outcomes(rule, store(1), ship(1, becomes=HOLE)) == ["violated"]
        assert outcomes(rule, store(1) | {"arg_b": HOLE}, ship(1, becomes=BRIDGE)) == ["holds"]
        assert outcomes(rule, store(1) | {"arg_b": HOLE}, ship(1)) == ["violated"]
        assert outcomes(rule, store(1), ship(1, digest=2)) == ["violated"]

    def test_they_send_what_is_released(self) -> None:
        rule = "log.deliver.sends_what_is_released"
        assert outcomes(rule, at(Release, 1, 2), ship(1)) == ["holds"]
        assert outcomes(rule, ship(1), at(Release, 1, 2)) == ["violated"]
        assert outcomes(rule, at(Release, 1, 2), ship(3)) == ["violated"]

    def test_they_send_in_order_and_once(self) -> None:
        rule = "log.deliver.in_order"
        assert outcomes(rule, ship(1), ship(2)) == ["holds"]
        assert outcomes(rule, ship(2), ship(1)) == ["violated"]
        assert outcomes(rule, ship(1), ship(1)) == ["violated"]

    @pytest.mark.parametrize("field", ["order", "life"])
    def test_a_new_request_and_a_new_life_begin_anew(self, field: str) -> None:
        assert outcomes("log.deliver.in_order", ship(2), ship(1, **{field: 2})) == []

    def test_they_send_nothing_beyond_the_window(self) -> None:
        rule = "log.deliver.within_window"
        assert outcomes(rule, ship(9), ship(10)) == ["holds", "violated"]


class TestReaders:
    """LogDevice, Read path, De-duplication and Flow control."""

    def test_they_are_given_what_was_sent(self) -> None:
        rule = "log.deliver.given_as_sent"
        assert outcomes(rule, ship(1), deliver(1, 1)) == ["holds"]
        assert outcomes(rule, ship(1), deliver(1, 2)) == ["violated"]
        assert outcomes(rule, ship(1), ship(1, node=1, digest=2), deliver(1, 1)) == ["violated"]
        assert outcomes(rule, ship(1, becomes=HOLE), deliver(1, 1)) == []

    def test_they_ask_only_for_what_they_lack(self) -> None:
        rule = "log.deliver.never_asks_again"
        assert outcomes(rule, ask(1), ask(5), ask(5)) == ["holds", "holds"]
        assert outcomes(rule, ask(5), ask(1)) == ["violated"]

    def test_their_window_goes_on(self) -> None:
        rule = "log.deliver.window_goes_on"
        assert outcomes(rule, ask(1, 10), allow(4, 14), ask(5, 14)) == ["holds"] * 3
        assert outcomes(rule, ask(1, 10), allow(4, 9)) == ["holds", "violated"]

    def test_their_window_fits_into_the_buffer(self) -> None:
        rule = "log.deliver.window_fits"
        assert outcomes(rule, allow(1, 10), allow(2, 12)) == ["holds", "violated"]


class TestFilters:
    """LogDevice, Single Copy Delivery, Rewinding the stream."""

    def test_versions_rise(self) -> None:
        rule = "log.deliver.versions_rise"
        assert outcomes(rule, ask(1, filters=1), ask(2, filters=2), ask(2, filters=2)) == ["holds"] * 3
        assert outcomes(rule, ask(1, filters=2), allow(2, 21), ask(3, filters=1)) == ["holds", "violated"]

    @pytest.mark.parametrize("change", [{"mode": ONE}, {"filtered_out": frozenset({2})}])
    def test_a_change_has_a_new_version(self, change: dict[str, Any]) -> None:
        rule = "log.deliver.change_rewinds"
        assert outcomes(rule, ask(1), ask(2)) == ["holds"]
        assert outcomes(rule, ask(1), ask(2, **change)) == ["violated"]
        assert outcomes(rule, ask(1), ask(2, filters=2, **change)) == []

    def test_who_leaves_the_read_set_is_passed_over_no_more(self) -> None:
        """Without a new version: ClientReadStreamScd.cpp, updateStorageShardsSet."""
        both, one = ask(1, mode=ONE, filtered_out=frozenset({1, 2})), ask(2, mode=ONE, filtered_out=frozenset({2}))
        assert outcomes("log.deliver.change_rewinds", both, one) == ["holds"]

    def test_where_all_send_nobody_is_passed_over(self) -> None:
        rule = "log.deliver.nobody_passed_over"
        listed = frozenset({1})
        assert outcomes(rule, ask(1), ask(2, mode=ONE, filtered_out=listed)) == ["holds"]
        assert outcomes(rule, ask(1, filtered_out=listed)) == ["violated"]

    def test_a_loss_is_told_only_where_all_send(self) -> None:
        """What counts is what was asked last; where that is not recorded, nothing is said of losses."""
        rule = "log.deliver.loss_only_if_all_send"
        assert outcomes(rule, ask(1, mode=ONE), ask(3, mode=EVERYONE, filters=2), gap(3)) == ["holds"]
        assert outcomes(rule, ask(1), ask(3, mode=ONE, filters=2), gap(3)) == ["violated"]
        assert outcomes(rule, ask(1), gap(1), ask(3, mode=ONE, filters=2)) == ["holds"]
        assert outcomes(rule, ask(1, mode=ONE), gap(3, reason=BRIDGE)) == []
        assert outcomes(rule, gap(3)) == []
