"""What a read stream promises, whatever shards send: LogDevice, Read path, How reads happen and Gap detection.

ClientReadStream.cpp, deliverRecord and deliverGap: records and gaps partition what is read, in order.
"""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from reference_impl.log.stream import inputs, outputs
from reference_impl.log.stream.inputs import GapReason
from reference_impl.log.stream.senders import Connection
from reference_impl.log.stream.state import Stream
from reference_impl.log.stream.surroundings import LogAttributes, Settings, Source
from reference_impl.log.stream.timers import Timer
from spec.log.status import Status
from tests.support.honest_shards import Cluster
from tests.support.read_streams import DATALOSS, Reading, e

SHARDS = 4
LAST = e(6, 3)

shards = st.integers(0, SHARDS - 1)
lsns = st.builds(e, st.integers(0, 8), st.integers(1, 3))
flags = st.booleans()
MESSAGES = st.one_of(
    st.builds(inputs.Record, shards, lsns, flags, flags, flags, flags, flags),
    st.builds(inputs.Record, shards, lsns),
    st.builds(inputs.Gap, shards, lsns, lsns, st.sampled_from(GapReason)),
    st.builds(inputs.Started, shards, st.integers(1, 4), st.sampled_from(["OK", "REBUILDING", "FAILED", "AGAIN"])),
    st.builds(inputs.StartSent, shards, st.sampled_from(["OK", "FAILED"])),
    st.builds(inputs.ConnectionClosed, shards, st.just("PEER_CLOSED")),
    st.builds(inputs.StatusesChanged, st.dictionaries(shards, st.sampled_from(Status))),
    st.builds(inputs.ConnectionSet, shards, st.sampled_from(Connection)),
    st.builds(inputs.Fired, st.sampled_from(Timer), shards),
    st.builds(inputs.Accepting, flags),
    st.builds(inputs.MemoryPressure, flags),
    st.builds(inputs.StartError, shards, st.sampled_from([None, "UNREACHABLE", "PROTONOSUPPORT"])),
    st.just(inputs.ConfigurationChanged()),
    st.builds(
        inputs.ConfigurationSet,
        st.frozensets(shards),
        st.builds(LogAttributes, st.integers(0, 4), flags, flags),
    ),
)


def readings() -> st.SearchStrategy[Reading]:
    """Streams of all kinds, started."""
    return st.builds(
        lambda log, settings, **options: Reading(SHARDS, log=log, settings=settings, **options).tell(inputs.Start()),
        st.builds(LogAttributes, st.integers(0, 4), flags, flags),
        st.builds(Settings, flags, st.integers(-1, 2), flags),
        until=st.just(LAST),
        capacity=st.integers(1, 6),
        threshold=st.sampled_from([0.0, 0.5, 1.0]),
        require_full_read_set=flags,
        ignore_released_status=flags,
        skip_trimmed=flags,
        ship_corrupted=flags,
        wait_for_all_copies=flags,
        trusts_at_once=flags,
    )


def spans(reading: Reading) -> list[tuple[int, int]]:
    """From which LSN to which the application was given something, in order, refused or not."""
    found = []
    for one in reading.did:
        if isinstance(one, outputs.Delivered):
            found.append((one.lsn, one.lsn))
        elif isinstance(one, outputs.GapDelivered):
            found.append((one.first, one.upto))
    return found


def answered(reading: Reading) -> None:
    """Each epoch that is asked for is answered for with all shards, and holds for itself alone."""
    for asked in reading.said(outputs.AskMetadata):
        reading.learn(asked.epoch, asked.epoch, *range(SHARDS), source=Source.NOT_LAST)


def is_sound(stream: Stream) -> bool:
    """The buffer lies in the window, and nobody is passed over when all send all."""
    buffered = {*stream.records, *stream.filtered}
    inside = all(stream.cursor <= lsn for lsn in buffered)
    return inside and (stream.single_copy.active or not stream.single_copy.lists.everyone)


@given(reading=readings(), messages=st.lists(MESSAGES, max_size=40))
def test_records_and_gaps_partition_what_is_read(reading: Reading, messages: list[inputs.Input]) -> None:
    """Each begins where the last one that was taken ended, whatever comes in whatever order; none beyond the end."""
    expected = e(1)
    for message in messages:
        answered(reading)
        accepting = reading.stream.around.accepting
        reading.tell(message)
        for first, upto in spans(reading):
            assert first == expected <= upto <= LAST
            expected = upto + 1 if accepting else expected
        reading.did = [one for one in reading.did if isinstance(one, outputs.AskMetadata)]
        assert is_sound(reading.stream)
        assert reading.stream.cursor >= expected or reading.stream.disposed


@given(
    seed=st.integers(0, 2**32 - 1),
    capacity=st.integers(1, 8),
    copies=st.integers(1, 3),
    single_copy=flags,
    troubles=st.integers(0, 30),
)
def test_honest_shards_lose_nothing(seed: int, capacity: int, copies: int, single_copy: bool, troubles: int) -> None:
    """Every record is delivered, in order and once, without any gap; and the stream ends."""
    random, last = Random(seed), 24
    copysets = {e(esn): random.sample(range(SHARDS), copies) for esn in range(1, last + 1)}
    log = LogAttributes(0, single_copy=single_copy)
    reading = Reading(SHARDS, {"node": copies}, log, until=e(last), capacity=capacity)
    Cluster(reading, copysets, random).run(troubles)
    given_at_last = list(dict.fromkeys(reading.given()))
    assert given_at_last == list(range(1, last + 1))


@given(seed=st.integers(0, 2**32 - 1), single_copy=flags, troubles=st.integers(0, 20))
def test_what_no_shard_has_is_lost(seed: int, single_copy: bool, troubles: int) -> None:
    """A record without copies is a loss, in its place, once; all others are delivered."""
    random, last, lost = Random(seed), 12, 7
    copysets = {e(esn): random.sample(range(SHARDS), 2) for esn in range(1, last + 1) if esn != lost}
    log = LogAttributes(0, single_copy=single_copy)
    reading = Reading(SHARDS, {"node": 2}, log, until=e(last), capacity=5)
    Cluster(reading, copysets, random).run(troubles)
    expected = [esn if esn != lost else (DATALOSS, lost, lost) for esn in range(1, last + 1)]
    assert list(dict.fromkeys(reading.given())) == expected
