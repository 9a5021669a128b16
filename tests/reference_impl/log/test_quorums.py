"""Quorums as the machine asks for them: what the document and the code of LogDevice both allow."""

from __future__ import annotations

import pytest

from reference_impl.log.quorums import Quorums
from reference_impl.log.statuses import Statuses
from spec.log.topology import Topology

FIVE = Quorums(Topology.flat(5).parameters(), {"node": 2})
"""Four of five nodes are an f-majority."""


def nodes(*numbers: int) -> frozenset[int]:
    """A set of nodes."""
    return frozenset(numbers)


@pytest.mark.parametrize(
    ("heard", "statuses", "proved"),
    [
        (nodes(0, 1, 2), Statuses(), False),
        (nodes(0, 1, 2, 3), Statuses(), True),
        (nodes(0, 1, 2), Statuses(unavailable=nodes(3, 4)), False),
        (nodes(0, 1, 2, 3), Statuses(unavailable=nodes(3, 4)), True),
        (nodes(1, 2, 3), Statuses(unavailable=nodes(0), empty=nodes(4)), True),
        (nodes(0, 2, 3), Statuses(unavailable=nodes(0), empty=nodes(4)), False),
        (nodes(0, 1, 2), Statuses(underreplicated=nodes(3, 4)), True),
    ],
)
def test_a_loss_is_proved_only_where_document_and_code_agree(
    heard: frozenset[int], statuses: Statuses, *, proved: bool
) -> None:
    """``spec.log.reading``: by the document all FULLY_AUTHORITATIVE nodes, by the code the UNAVAILABLE ones too."""
    assert FIVE.loss_is_proved(heard, FIVE.everyone, statuses) is proved
