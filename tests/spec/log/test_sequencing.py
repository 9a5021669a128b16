"""Epochs, their sequencers, and the LSNs that they give out: LogDevice, Recovery, Sequencer activation."""

from __future__ import annotations

from spec.events import Append, Draining, NewEpoch
from tests.support.tiny import at, outcomes

ALL = frozenset({0, 1, 2})


def new_epoch(epoch: int, sequencer: int, time: int) -> dict[str, object]:
    """A sequencer is activated in an epoch."""
    return at(NewEpoch, epoch, 0, sequencer=sequencer, nodeset=ALL, replication={"node": 2}, time=time)


def append(epoch: int, esn: int, sequencer: int, digest: int = 7) -> dict[str, object]:
    """A sequencer gives an LSN to a payload."""
    return at(Append, epoch, esn, sequencer=sequencer, digest=digest)


def test_an_epoch_is_given_to_one_sequencer() -> None:
    rule = "log.sequencing.one_sequencer"
    assert outcomes(rule, new_epoch(1, 0, 1)) == ["holds"]
    assert outcomes(rule, new_epoch(1, 0, 1), new_epoch(1, 2, 5)) == ["violated"]
    assert outcomes(rule, new_epoch(1, 0, 1), new_epoch(1, 0, 5)) == ["holds"], "it may be told twice"
    assert outcomes(rule, new_epoch(1, 0, 1), new_epoch(1, 0, 5) | {"nodes": frozenset({0, 1})}) == ["violated"]
    assert outcomes(rule, new_epoch(1, 0, 1), new_epoch(1, 0, 5) | {"nodes": None}) == ["holds"]


def test_lsns_of_an_epoch_come_from_its_sequencer() -> None:
    rule = "log.sequencing.own_epoch"
    assert outcomes(rule, new_epoch(1, 0, 1), append(1, 1, 0), append(1, 2, 0)) == ["holds"]
    assert outcomes(rule, new_epoch(1, 0, 1), append(1, 1, 0), append(1, 2, 2)) == ["violated"]
    assert outcomes(rule, append(1, 1, 0)) == ["violated"]


def test_later_epochs_begin_later() -> None:
    rule = "log.sequencing.epochs_in_order"
    assert outcomes(rule, new_epoch(1, 0, 1), new_epoch(2, 1, 5)) == ["holds"]
    assert outcomes(rule, new_epoch(1, 0, 9), new_epoch(2, 1, 5)) == ["violated"]
    assert outcomes(rule, new_epoch(1, 0, 1)) == []


def test_of_an_epoch_that_drains_nothing_more_is_given_out() -> None:
    """common/EpochSequencer.h; and nobody but its sequencer lets it drain."""
    rule = "log.sequencing.draining_ends"
    begun, drains = new_epoch(1, 0, 1), at(Draining, 1, 2, sequencer=0)
    assert outcomes(rule, begun, append(1, 1, 0), append(1, 2, 0), drains) == ["holds"]
    assert outcomes(rule, begun, append(1, 2, 0), drains, append(1, 3, 0)) == ["violated"]
    assert outcomes(rule, begun, append(1, 2, 0), at(Draining, 1, 2, sequencer=1)) == ["violated"]
    assert outcomes(rule, begun, append(1, 1, 0)) == []


def test_one_payload_for_each_lsn() -> None:
    rule = "log.sequencing.one_payload"
    assert outcomes(rule, append(1, 1, 0), append(1, 2, 0, 8)) == ["holds", "holds"]
    assert outcomes(rule, append(1, 1, 0), append(1, 1, 0, 8)) == ["violated"]
