"""Which decisions stand, and which copies of a plug count together: LogDevice, common/Digest.cpp."""

from __future__ import annotations

from typing import Any

import pytest

from spec.events import BRIDGE, CORRECTED, HOLE, RECORD, STANDING, WITHDRAWN
from spec.log.agreeing import plug_copies, standing


def stores(*told: tuple[int, int, int | None]) -> list[dict[str, Any]]:
    """What nodes stored: by node, what it is, and the recovery that wrote it."""
    return [{"node": node, "arg_b": becomes, "version": recovery} for node, becomes, recovery in told]


@pytest.mark.parametrize(
    ("told", "together"),
    [
        pytest.param([(0, HOLE, 2), (1, HOLE, 2)], {0, 1}, id="one recovery"),
        pytest.param([(0, HOLE, 2), (1, HOLE, 4)], {0, 1}, id="two that agree"),
        pytest.param([(0, HOLE, 2), (2, RECORD, 0), (1, HOLE, 4)], {0, 1}, id="the sequencer came before both"),
        pytest.param([(0, HOLE, 2), (2, RECORD, 3), (1, HOLE, 4)], {1}, id="a record between: the later of as many"),
        pytest.param([(0, HOLE, 2), (2, BRIDGE, 3), (1, HOLE, 4)], {1}, id="a bridge between"),
        pytest.param([(0, HOLE, 2), (1, HOLE, 2), (2, RECORD, 3), (3, HOLE, 4)], {0, 1}, id="most"),
        pytest.param([(0, HOLE, 2), (1, RECORD, 2), (3, HOLE, 4)], {3}, id="one that decided twice"),
        pytest.param([(0, HOLE, None), (1, HOLE, None)], {0, 1}, id="nothing else was ever written"),
        pytest.param([(0, HOLE, None), (1, RECORD, 0)], None, id="nobody says by whom"),
        pytest.param([(0, HOLE, 2), (1, HOLE, 4), (2, RECORD, None)], None, id="nobody says what was between"),
        pytest.param([(0, HOLE, 2), (1, HOLE, 2), (2, RECORD, None)], {0, 1}, id="nothing can be between"),
    ],
)
def test_copies_of_a_hole_that_count_together(told: list[Any], together: set[int] | None) -> None:
    assert plug_copies(stores(*told))[HOLE] == together


def test_each_plug_is_counted_by_itself() -> None:
    told = stores((0, HOLE, 2), (1, BRIDGE, 3), (2, RECORD, 4))
    assert plug_copies(told) == {HOLE: frozenset({0}), BRIDGE: frozenset({1})}


def decided(becomes: int, recovery: int | None, seq: int, recorder: str = "v") -> dict[str, Any]:
    """One decision of a recovery for an LSN."""
    return {"arg_b": becomes, "version": recovery, "seq": seq, "recorder": recorder}


@pytest.mark.parametrize(
    ("decisions", "stand"),
    [
        pytest.param([decided(HOLE, 2, 1), decided(HOLE, 2, 2)], [STANDING, STANDING], id="the same again"),
        pytest.param([decided(HOLE, 2, 1), decided(RECORD, 2, 2)], [WITHDRAWN, CORRECTED], id="begun anew"),
        pytest.param([decided(HOLE, 2, 1), decided(RECORD, 3, 2)], [STANDING, STANDING], id="two recoveries"),
        pytest.param(
            [decided(HOLE, 2, 1), decided(RECORD, 2, 2), decided(HOLE, 2, 3)],
            [WITHDRAWN, WITHDRAWN, CORRECTED],
            id="begun anew twice",
        ),
        pytest.param([decided(HOLE, 2, 1), decided(RECORD, 2, 2, "w")], [None, None], id="two recorders"),
        pytest.param([decided(HOLE, None, 1), decided(RECORD, 2, 2)], [None, None], id="nobody says by whom"),
        pytest.param([decided(HOLE, None, 1)], [STANDING], id="nobody else decided"),
    ],
)
def test_the_last_word_of_a_recovery_stands(decisions: list[Any], stand: list[int | None]) -> None:
    assert [standing(one, decisions) for one in decisions] == stand
