"""The copyset index: LogDevice, Read path, Copyset index: a whole block is either read and delivered, or skipped."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reference_impl.log.delivery.copyset_index import Block, blocks, read
from reference_impl.log.delivery.shipping import Stored, Stream, ships

STICKY = tuple(Stored(lsn, (0, 1) if lsn < 6 else (1, 0)) for lsn in range(1, 11))

indexes = st.lists(
    st.tuples(st.sampled_from([(0, 1, 2), (1, 2, 0), (2, 0, 1)]), st.booleans(), st.booleans()), max_size=12
).map(lambda kinds: tuple(Stored(lsn, *kind) for lsn, kind in enumerate(kinds, start=3)))


def test_a_decision_for_each_block() -> None:
    """Sticky copysets: ten records are two blocks, of which one is skipped unread."""
    assert blocks(STICKY) == (
        Block((1, 2, 3, 4, 5), Stored(0, (0, 1))),
        Block((6, 7, 8, 9, 10), Stored(0, (1, 0))),
    )
    assert read(Stream(0), STICKY) == ((1, 2, 3, 4, 5), 2, 11)
    assert read(Stream(1), STICKY, from_lsn=5) == ((6, 7, 8, 9, 10), 2, 11)


def test_reading_stops_where_it_must() -> None:
    """And goes on behind that, be there a record or not: LogDevice, server/read_path/LocalLogStoreReader.cpp."""
    assert read(Stream(0), STICKY, upto=3) == ((1, 2, 3), 1, 4)
    assert read(Stream(0), STICKY, upto=14) == ((1, 2, 3, 4, 5), 2, 15)
    assert read(Stream(0), STICKY, from_lsn=8, upto=3) == ((), 0, 8)


def test_nothing_to_read() -> None:
    """Behind the last record the next to read stays where it is."""
    assert read(Stream(0), STICKY, from_lsn=20) == ((), 0, 20)


@given(index=indexes, node=st.integers(0, 2), down=st.frozensets(st.integers(0, 2)), from_lsn=st.integers(1, 16))
def test_blocks_change_nothing(index: tuple[Stored, ...], node: int, down: frozenset[int], from_lsn: int) -> None:
    """What is sent is what looking at each record would send: flags and copyset are alike within a block."""
    stream = Stream(node, known_down=down)
    each = tuple(record.lsn for record in index if record.lsn >= from_lsn and ships(stream, record))
    batch = read(stream, index, from_lsn)
    assert batch.shipped == each
    assert batch.decisions <= len(index)
