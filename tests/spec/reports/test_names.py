"""Names: a key that a report prints is the key that a command line takes, and nothing else is taken for one.

Justified by the promise that the line under a violation can be pasted.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spec.language.declare import View
from spec.language.names import Names
from spec.registry import RULES
from spec.reports.names import BadKey, columns_of_key, key_text, key_words, read_key, span_words

VIEWS = list(dict.fromkeys(rule.view for rule in RULES))
NAMES = Names(
    {"nodes": ("a", "b")}, {"logs": {1: "orders"}, "writers": {2: "app"}, "readers": {2: "audit"}}, low_bits=20
)


def keys_of(view: type[View]) -> st.SearchStrategy[tuple[int, ...]]:
    """Keys of rows of a view: numbers of any size where the column allows them."""
    high = (1 << 63) - 1
    low = {"digest": -high - 1, "seq": -high - 1}
    return st.tuples(*(st.integers(low.get(column, 0), high) for column in columns_of_key(view).values()))


@given(st.sampled_from(VIEWS).flatmap(lambda view: st.tuples(st.just(view), keys_of(view))))
def test_what_is_written_is_read_back(case: tuple[type[View], tuple[int, ...]]) -> None:
    view, key = case
    assert read_key(view, key_text(view, key, NAMES), NAMES) == key
    assert read_key(view, ",".join(map(str, key)), NAMES) == key
    assert key_words(view, key, NAMES)


@pytest.mark.parametrize("text", ["", "1", "1,2,3", "1,e1", "x,1", "1,0x1", "1,1.0", "1,e1n1x", "1," + "9" * 30])
def test_what_names_no_row_is_refused(text: str) -> None:
    slot = next(view for view in VIEWS if view.__name__ == "Slot")
    with pytest.raises(BadKey):
        read_key(slot, text, NAMES)


def test_people_read_names() -> None:
    slot = next(view for view in VIEWS if view.__name__ == "Slot")
    assert key_words(slot, (1, (3 << 20) + 17), NAMES) == "log 1 (orders), LSN e3n17"
    node_epoch = next(view for view in VIEWS if view.__name__ == "NodeEpoch")
    assert key_words(node_epoch, (1, 2, 3), NAMES) == "node b, log 2, epoch 3"
    step = next(view for view in VIEWS if view.__name__ == "Step")
    assert key_words(step, (2, 1, 5, 7), NAMES) == "reader 2 (audit), log 1 (orders), LSN e0n5, seq 7"
    assert key_words(step, (3, 1, 5, 7), NAMES).startswith("reader 3, log 1")
    place = next(view for view in VIEWS if view.__name__ == "StreamPlace")
    assert "writer 2 (app)" in key_words(place, (1, 2, 5), NAMES)


def test_rows_that_follow_one_another_are_a_range() -> None:
    slot = next(view for view in VIEWS if view.__name__ == "Slot")
    first = (1, (3 << 20) + 401)
    assert span_words(slot, first, 400, NAMES) == "log 1 (orders), LSN e3n401 to e3n800"
    assert span_words(slot, first, 1, NAMES) == key_words(slot, first, NAMES)
