"""What is worked out of event classes is kept only until another class is defined.

Justified by ``spec.language.events.worked_out_once``: an answer that knows nothing of a new kind is wrong.
"""

from __future__ import annotations

from spec.language.events import AnyEvent, kinds, number
from spec.language.limits import limits
from spec.language.parameters import Parameters
from spec.segment.orders import BY_TURN


class Happened(AnyEvent):
    """Something happened."""

    sorted_by = BY_TURN
    seq = number("seq", "the recorder's own order")


class Began(Happened, kind=1, word="began"):
    """It began."""


def test_another_kind_is_known_at_once() -> None:
    def known() -> tuple[tuple[int, ...], int]:
        return kinds(Happened), len(limits(Happened, Parameters()))

    before = known()
    assert before == known()

    class Ended(Happened, kind=2, word="ended"):
        """It ended."""

        total = number("total", "how much there was")

    assert known() == ((1, 2), before[1] + 1)
