"""A sum that does not fit into 64 bits is refused, and every other one is what the definition says.

Justified by docs/explanation/one-rule-many-readings.md: all readings of a rule say the same, or refuse to say anything.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spec.columns.column import Column
from spec.columns.kleene import strict
from spec.columns.mistakes import NumberOverflow
from spec.columns.operations import operations_of
from spec.columns.overflow import OVERFLOWS, refuse_overflow
from spec.language.parameters import Parameters

PARAMETERS: Final = Parameters(0, low_bits=8)
LEAST: Final = -(1 << 63)
GREATEST: Final = (1 << 63) - 1
MEANT: Final[dict[str, Callable[..., int]]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "neg": lambda a: -a,
    "first": lambda high: high << 8,
    "last": lambda high: (high << 8) + 255,
}
near = st.sampled_from(
    [LEAST, LEAST + 1, -(1 << 62), -1, 0, 1, (1 << 55) - 1, 1 << 55, 1 << 62, GREATEST - 1, GREATEST]
)
numbers = near | st.integers(LEAST, GREATEST) | st.integers(-9, 9)


def found(name: str, operands: list[list[int]], known: list[bool]) -> list[int]:
    """What columns make of some operands, of which some rows are known."""
    args = [Column(np.array(one, np.int64), np.array(known)) for one in operands]
    with np.errstate(over="ignore"):
        column = strict(operations_of(PARAMETERS)[name], args)
    refuse_overflow(name, column, args, PARAMETERS.low_bits)
    return [int(value) for value in column.value]


def test_all_sums_are_looked_at() -> None:
    assert OVERFLOWS.keys() == MEANT.keys()


@pytest.mark.parametrize("name", MEANT)
@given(data=st.data())
def test_it_is_the_sum_or_refused(name: str, data: st.DataObject) -> None:
    size, arity = data.draw(st.integers(1, 4)), MEANT[name].__code__.co_argcount
    operands = [data.draw(st.lists(numbers, min_size=size, max_size=size)) for _ in range(arity)]
    known = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    meant = [MEANT[name](*row) for row in zip(*operands, strict=True)]
    if any(is_known and not LEAST <= one <= GREATEST for is_known, one in zip(known, meant, strict=True)):
        with pytest.raises(NumberOverflow, match="does not fit into 64 bits"):
            found(name, operands, known)
    else:
        said = found(name, operands, known)
        assert [one for one, is_known in zip(said, known, strict=True) if is_known] == [
            one for one, is_known in zip(meant, known, strict=True) if is_known
        ]
