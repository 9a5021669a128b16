"""One copyset for many consecutive records, while writes succeed: LogDevice, Read path, Sticky copysets."""

from __future__ import annotations

from itertools import groupby

from reference_impl.log.copies import Nodes
from reference_impl.log.lsn import lsn_of
from tests.support.machines import EVERYONE, machine_of

MACHINE = machine_of()
LSNS = [lsn_of(3, esn) for esn in range(1, 201)]


def chosen(avoid: Nodes = frozenset(), wave: int = 1) -> list[Nodes | None]:
    """The copysets of consecutive records."""
    return [MACHINE.decisions.copyset(MACHINE, EVERYONE, avoid, lsn, wave) for lsn in LSNS]


def test_records_come_in_blocks_of_one_copyset() -> None:
    """Several records each, so that nodes hold blocks; and not one copyset for all."""
    blocks = [len(list(block)) for _, block in groupby(chosen())]
    assert 10 < len(blocks) < len(LSNS) / 4
    assert len(set(chosen())) > 2


def test_a_failed_write_ends_the_block() -> None:
    """The next wave is stored elsewhere, and so are the records that follow, while the node is passed over."""
    first = chosen()[0]
    assert first
    silent = min(first)
    assert MACHINE.decisions.copyset(MACHINE, EVERYONE, frozenset({silent}), LSNS[0], 2) not in {first, None}
    assert all(found is not None and silent not in found for found in chosen(frozenset({silent})))
