"""The metadata log: LogDevice, Read path, Metadata log."""

from __future__ import annotations

import pytest

from reference_impl.log.lsn import esn_of
from reference_impl.log.metadata_log import Range, found_in, ranges, with_epoch
from reference_impl.log.stream import inputs, outputs
from reference_impl.log.stream.surroundings import EPOCH_LAST, Metadata, Source
from tests.support.read_streams import Reading, e

FIRST, SECOND = frozenset({0, 1, 2}), frozenset({1, 2, 3})
TWICE, THRICE = {"node": 2}, {"node": 3}


def history() -> tuple[Metadata, ...]:
    """Nine epochs: the nodeset changes with the fourth, the replication with the eighth."""
    records: tuple[Metadata, ...] = ()
    for epoch in range(1, 10):
        records = with_epoch(records, epoch, FIRST if epoch < 4 else SECOND, TWICE if epoch < 8 else THRICE)
    return records


def test_it_changes_only_with_nodesets_and_replication() -> None:
    """Nine epochs, three records."""
    assert history() == (Metadata(1, FIRST, TWICE), Metadata(4, SECOND, TWICE), Metadata(8, SECOND, THRICE))


def test_it_has_ranges_of_epochs() -> None:
    """For each a nodeset and a replication property; the last is not at its end."""
    assert [(found.since, found.until) for found in ranges(history())] == [(1, 3), (4, 7), (8, EPOCH_LAST)]
    assert found_in(ranges(history()), 5) == Range(4, 7, Metadata(4, SECOND, TWICE))
    assert [found.source for found in ranges(history())] == [Source.NOT_LAST, Source.NOT_LAST, Source.LAST]
    assert (found_in(ranges(history()), 0), found_in(ranges(()), 5)) == (None, None)


@pytest.mark.parametrize("epoch", [3, 8])
def test_epochs_do_not_go_back(epoch: int) -> None:
    """What was said of an epoch stays."""
    with pytest.raises(ValueError, match="rising order"):
        with_epoch(history(), epoch, FIRST, TWICE)


def test_it_is_read_as_any_log() -> None:
    """From storage nodes, in order and once; and what it says makes the read sets of the log itself."""
    records = dict(enumerate(history(), start=1))
    metadata_log = Reading(3, TWICE).started().record(2, 3).record(0, 1, 2).record(1, 1, 3)
    read = [records[esn_of(one.lsn)] for one in metadata_log.said(outputs.Delivered)]
    assert tuple(read) == history()
    log = Reading(4, TWICE, start=e(1, 3)).tell(inputs.Start())
    for epoch, asked in ((3, FIRST), (4, SECOND - FIRST)):
        found = found_in(ranges(read), epoch)
        assert found is not None
        log.learn(epoch, found.until, *found.metadata.shards, since=found.since, source=found.source)
        assert {start.shard for start in log.said(outputs.SendStart)} == asked
        log.record(1, 1, epoch=epoch).record(1, 2, epoch=epoch, hole=True, bridge=True)
