"""One copyset for many consecutive records, while writes succeed: LogDevice, Read path, Sticky copysets."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby

from reference_impl.log import trace_events
from reference_impl.log.appending import request
from reference_impl.log.context import STICKY
from reference_impl.log.copies import Nodes
from reference_impl.log.lsn import lsn_of
from reference_impl.log.messages import AppendRequest
from reference_impl.log.placing import ROOM, Block, copyset
from reference_impl.log.sequencer import Role, Sequencer
from reference_impl.log.storage_messages import Store
from tests.support.machines import EVERYONE, NOW, machine_of, taken

MACHINE = machine_of()
LSNS = [lsn_of(3, esn) for esn in range(1, 201)]


def chosen(avoid: Nodes = frozenset(), wave: int = 1) -> list[Nodes | None]:
    """The copysets of consecutive records."""
    return [copyset(MACHINE, EVERYONE, avoid, lsn, wave) for lsn in LSNS]


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
    assert copyset(MACHINE, EVERYONE, frozenset({silent}), LSNS[0], 2) not in {first, None}
    assert all(found is not None and silent not in found for found in chosen(frozenset({silent})))


BLOCKS = replace(MACHINE, variants=frozenset({STICKY}))


def appended(sequencer: Sequencer, number: int) -> tuple[Sequencer, Nodes]:
    """The sequencer after an append, and where it says that the append goes; all stores are sent there."""
    asked = AppendRequest(number, 1, sequencer.epoch, number)
    after, sent, events = taken(request(sequencer, asked, NOW, BLOCKS))
    said = next(event for event in events if event["kind"] == trace_events.CHOSEN)
    assert {message.copyset for message in sent if isinstance(message, Store)} == {said["nodes"]}
    assert after.block == Block(said["arg"], said["nodes"])
    return after, said["nodes"]


def test_a_sequencer_says_which_appends_make_a_block() -> None:
    """A block is full after some appends, and ends before that when one of its nodes keeps a wave waiting."""
    sequencer = Sequencer(0, 0, Role.ACTIVE, 3, {3: EVERYONE})
    first: Nodes = Nodes()
    for number in range(1, ROOM + 2):
        sequencer, copyset = appended(sequencer, number)
        first = first or copyset
        assert sequencer.block is not None
        assert sequencer.block.first == (1 if number <= ROOM else ROOM + 1)
        assert number > ROOM or copyset == first
    assert sequencer.block is not None
    silent = min(sequencer.block.copyset)
    sequencer, copyset = appended(sequencer._replace(suspects=Nodes({silent})), ROOM + 2)
    assert sequencer.block is not None
    assert sequencer.block.first == ROOM + 2
    assert silent not in copyset
