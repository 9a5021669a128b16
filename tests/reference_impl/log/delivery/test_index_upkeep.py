"""The copyset index is kept up: LogDevice, Read path, Copyset index and Sticky copysets."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reference_impl.log.delivery.copyset_index import blocks, read, trimmed, with_record
from reference_impl.log.delivery.shipping import Stored, Stream

records = st.builds(
    Stored, st.integers(1, 20), st.permutations(range(4)).map(lambda nodes: (nodes[0], nodes[1])), st.just(value=False)
)


@given(arrivals=st.lists(records), upto=st.integers(0, 20))
def test_it_has_what_the_node_has(arrivals: list[Stored], upto: int) -> None:
    """LSN and copyset of every record, in order, whenever they came; without what was trimmed."""
    index: tuple[Stored, ...] = ()
    for record in arrivals:
        index = with_record(index, record)
    last = {record.lsn: record for record in arrivals}
    assert index == tuple(last[lsn] for lsn in sorted(last))
    assert trimmed(index, upto) == tuple(record for record in index if record.lsn > upto)


def test_a_rebuilt_copyset_takes_the_place_of_the_old_one() -> None:
    """N5 is drained: it leaves the copysets of what it held, the new holder enters, and readers never wait for it."""
    index: tuple[Stored, ...] = (Stored(1, (5, 1, 2)), Stored(2, (1, 5, 2)), Stored(3, (1, 2, 3)))
    rebuilt = index
    for record in index:
        if 5 in record.copyset:
            copyset = tuple(6 if node == 5 else node for node in record.copyset)
            rebuilt = with_record(rebuilt, record._replace(copyset=copyset))
    assert [record.copyset for record in rebuilt] == [(6, 1, 2), (1, 6, 2), (1, 2, 3)]
    assert [read(Stream(node), rebuilt).shipped for node in (1, 5, 6)] == [(2, 3), (), (1,)]


def test_one_decision_for_a_sticky_block() -> None:
    """A thousand records with one copyset are looked at once, and read or skipped whole."""
    index = tuple(Stored(lsn, (0, 1) if lsn <= 1000 else (1, 0)) for lsn in range(1, 2001))
    assert [len(block.lsns) for block in blocks(index)] == [1000, 1000]
    assert [read(Stream(node), index)[:2] for node in (0, 1)] == [
        (tuple(range(1, 1001)), 2),
        (tuple(range(1001, 2001)), 2),
    ]
