"""The example of LogDevice, Recovery, Recovery example and Final state: five nodes, three copies, epochs 5 and 6.

N1 to N5 are shards 0 to 4. The last known good LSN is e5n4. Of the appends after it, e5n5 was stored nowhere, e5n6 was
acknowledged, and e5n7 has one copy. The sequencer and N1 go down.
"""

from __future__ import annotations

from reference_impl.log.lsn import ESN_MAX, lsn_of
from reference_impl.log.repair.digest import Digest
from reference_impl.log.repair.held import Held
from reference_impl.log.repair.log_recovery import Circumstances, Recovered, digest_now, recover
from reference_impl.log.repair.mutation import Becomes
from reference_impl.log.repair.reading import Told, read
from reference_impl.log.repair.seals import Seals, may_append, may_mutate, seal
from reference_impl.log.repair.stores import Store, Stores
from tests.support.repairs import by_sequencer, flat

FIVE = flat(5, 3)
N1, N2, N3, N4, N5 = range(5)
OLD, NEW, KNOWN_GOOD = 5, 6, 4
PLACED = {3: {N1, N2, N3}, 4: {N2, N4, N5}, 6: {N1, N2, N3}, 7: {N4}}
"""Which nodes hold each ESN of epoch 5 when the sequencer goes down."""


def stores(placed: dict[int, set[int]] = PLACED) -> Stores:
    """What the nodes hold, as their sequencer stored it."""
    held = {node: {lsn_of(OLD, esn): by_sequencer() for esn in placed if node in placed[esn]} for node in range(5)}
    return {node: Store(held[node], {OLD: KNOWN_GOOD}) for node in range(5)}


def recovered(placed: dict[int, set[int]] = PLACED) -> tuple[Stores, Recovered]:
    """The nodes after the recovery that the sequencer of epoch 6 ran without N1."""
    after, (done,) = recover(stores(placed), [(OLD, FIVE)], Circumstances(seal=OLD, absent=frozenset({N1})))
    return after, done


def outcome(placed: dict[int, set[int]] = PLACED) -> Digest:
    """What lies above the last known good LSN after it."""
    return {esn: entry for esn, entry in digest_now(recovered(placed)[0], OLD, range(5)).items() if esn > KNOWN_GOOD}


def read_back(held: Stores) -> list[tuple[Told, int]]:
    """What a reader of epoch 5 is told from ESN 3 on."""
    copies = {lsn: copy for store in held.values() for lsn, copy in store.copies.items()}
    last = max(copies)
    return [(piece.told, piece.first - lsn_of(OLD, 0)) for piece in read(copies, lsn_of(OLD, 3), last, window_esns=2)]


def kinds(digest: Digest) -> dict[int, str]:
    """Each outcome in a word."""
    words = {(False, False): "record", (True, False): "hole", (True, True): "bridge"}
    return {esn: words[entry.target.is_hole, entry.target.is_bridge] for esn, entry in digest.items()}


def test_the_hole_would_be_told_as_a_loss() -> None:
    """Without recovery: e5n5 was never acknowledged, and yet a reader would be told that it is lost."""
    assert read_back(stores()) == [
        (Told.RECORD, 3),
        (Told.RECORD, 4),
        (Told.DATALOSS, 5),
        (Told.RECORD, 6),
        (Told.RECORD, 7),
    ]


def test_readers_would_see_different_views() -> None:
    """Without recovery: the append of e5n5 is still in flight, and whoever reads later finds it."""
    later = stores({**PLACED, 5: {N3, N4, N5}})
    assert (Told.RECORD, 5) in read_back(later)
    assert (Told.RECORD, 5) not in read_back(stores())


def test_releasing_at_once_would_break_replication() -> None:
    """Without recovery: e5n7 has one copy, where the log promises three."""
    assert not FIVE.can_replicate(frozenset(PLACED[7]))


def test_nodes_reject_smaller_epochs_than_six() -> None:
    """So an old sequencer can complete no new append; the recovery itself may store."""
    sealed = seal(Seals(), OLD).seals
    assert [epoch for epoch in (4, OLD, NEW) if may_append(sealed, epoch)] == [NEW]
    assert may_mutate(sealed, OLD)


def test_what_each_slot_becomes() -> None:
    """A record where one is found, a hole where none is, and a bridge behind the last: e5n8."""
    assert kinds(outcome()) == {5: "hole", 6: "record", 7: "record", 8: "bridge"}


def test_only_slots_after_the_last_known_good_one_are_looked_at() -> None:
    """What lies up to it is fully stored."""
    _, done = recovered()
    assert done.plan is not None
    assert min(mutation.esn for mutation in done.plan.mutations) == KNOWN_GOOD + 1


def test_outcomes_lie_on_a_valid_copyset() -> None:
    """Each on three nodes at least, of those that are up."""
    for entry in outcome().values():
        assert FIVE.can_replicate(frozenset(entry.copies) - {N1})


def test_an_append_that_was_not_acknowledged_is_kept_or_plugged() -> None:
    """As the nodes that answer know of it: e5n7 is on N4, or only on N1, which is down, with e5n8 behind it."""
    assert kinds(outcome({**PLACED, 7: {N1}, 8: {N5}})) == {5: "hole", 6: "record", 7: "hole", 8: "record", 9: "bridge"}
    assert kinds(outcome({**PLACED, 7: {N1}})) == {5: "hole", 6: "record", 7: "bridge"}


def test_an_acknowledged_append_is_always_proposed() -> None:
    """Wherever the three copies of e5n6 are, one of them is on a node that is up."""
    for absent in range(5):
        others = [node for node in range(5) if node != absent]
        for copyset in ({absent, *others[:2]}, {absent, *others[2:]}, {*others[1:]}):
            assert kinds(outcome({**PLACED, 6: copyset}))[6] == "record"


def test_what_was_replicated_is_intact() -> None:
    """Records up to the last known good LSN are as they were, on the same nodes."""
    after, _ = recovered()
    for esn in (3, 4):
        holders = {node for node in range(5) if lsn_of(OLD, esn) in after[node].copies}
        assert holders == PLACED[esn]
        assert {after[node].copies[lsn_of(OLD, esn)] for node in holders} == {Held(1)}


def test_readers_go_on_over_benign_gaps() -> None:
    """The hole is a benign gap, and the bridge one to the end of the epoch."""
    after, _ = recovered()
    assert read_back(after)[2:] == [(Told.HOLE, 5), (Told.RECORD, 6), (Told.RECORD, 7), (Told.BRIDGE, 8)]
    copies = {lsn: copy for store in after.values() for lsn, copy in store.copies.items()}
    *_, bridge = read(copies, lsn_of(OLD, 8), lsn_of(NEW, 0) - 1)
    assert (bridge.told, bridge.last) == (Told.BRIDGE, lsn_of(OLD, ESN_MAX))


def test_a_bridge_is_stored_as_records_are() -> None:
    """With its own LSN and copies, and a kind of its own."""
    _, done = recovered()
    assert done.plan is not None
    assert [(mutation.esn, mutation.becomes) for mutation in done.plan.mutations][-1] == (8, Becomes.BRIDGE)
    entry = outcome()[8]
    assert entry.target == Held(OLD, by_recovery=True, is_hole=True, is_bridge=True)
    assert len(entry.copies) == 3


def test_another_recovery_finds_the_same() -> None:
    """Of the epoch as the first one left it, even where it hears N1 and not N2."""
    after, _ = recovered()
    again, _ = recover(after, [(OLD, FIVE)], Circumstances(seal=NEW, absent=frozenset({N2})))
    assert kinds(digest_now(again, OLD, range(5))) == kinds(digest_now(after, OLD, range(5)))
