"""Views in several orders: which key columns follow theirs, and what a block in another order is told."""

from __future__ import annotations

import numpy as np
import pytest

from spec.columns.blocks import check_block
from spec.columns.column import Column
from spec.columns.mistakes import MixedOrders, NotSorted
from spec.columns.plan import by_order, needed_columns, order_of
from spec.language.declare import View
from spec.language.orders import Order, plain
from spec.language.parameters import Parameters
from spec.language.shape import shape_of
from spec.segment.events import Stored
from spec.segment.family import SEGMENT
from spec.segment.orders import BY_CALL, BY_KEY, BY_TIME, BY_TURN
from spec.segment.views.channels import Key, Turn
from spec.segment.views.sessions import Call, NodeCall
from spec.segment.views.times import Instant, SamePiece, Scanned, Stretch


@pytest.mark.parametrize(
    ("view", "order", "loose"),
    [
        (Call, BY_CALL, ()),
        (NodeCall, BY_CALL, ("node",)),
        (Stretch, BY_CALL, ("channel",)),
        (Instant, BY_TIME, ()),
        (SamePiece, BY_TIME, ("last",)),
        (Scanned, BY_TIME, ("session", "scan")),
        (Turn, BY_TURN, ()),
        (Key, BY_KEY, ()),
    ],
)
def test_a_view_names_its_order_and_only_other_columns_are_sorted(
    view: type[View], order: Order, loose: tuple[str, ...]
) -> None:
    assert (view.sorted_by, shape_of(view).loose) == (order, loose)


def test_rules_of_several_orders_are_judged_apart() -> None:
    apart = by_order(SEGMENT.rules)
    assert set(apart) == {BY_CALL, BY_TIME, BY_TURN, BY_KEY}
    assert sum(map(len, apart.values())) == len(SEGMENT.rules)
    assert {order_of(rules) for rules in apart.values()} == set(apart)
    with pytest.raises(MixedOrders, match="Judge them apart"):
        order_of(SEGMENT.rules)


def test_a_position_may_be_one_column() -> None:
    assert BY_TIME.stored == ("channel", "start_ns", "seq")
    assert BY_TIME.places == ("channel", "start_ns")
    assert plain("turn").parts == ("turn",)


def test_a_block_in_another_order_is_refused() -> None:
    """Two stored segments of one channel, the later one first."""
    rules = [rule for rule in by_order(SEGMENT.rules)[BY_TIME] if rule.id == "segment.store.disjoint"]
    columns = {name: Column(np.array([1, 1])) for name in needed_columns(rules)}
    columns |= {"kind": Column(np.array([Stored.kind] * 2, np.int8)), "start_ns": Column(np.array([40, 10]))}
    with pytest.raises(NotSorted, match=r"\(channel, start_ns\) \(1, 10\) comes after \(1, 40\)"):
        check_block(rules, columns, Parameters(low_bits=20), {}, begins=True)
