"""Donors and those who hold what donors bring: LogDevice, docs/Rebuilding.md; server/rebuilding."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from reference_impl.kernel.step import After
from reference_impl.log import trace_events
from reference_impl.log.copies import Copy
from reference_impl.log.lsn import lsn_of
from reference_impl.log.node_log import NodeLog
from reference_impl.log.rebuilding.donor import (
    HANDLERS,
    PATIENCE,
    Donor,
    Phase,
    donates,
    rebuilt_copyset,
)
from reference_impl.log.rebuilding.holding import amend, come_back, hold, lend, settled_upto
from reference_impl.log.rebuilding.messages import (
    Again,
    Amend,
    Amended,
    ComeBack,
    Donated,
    Held,
    Hold,
    Lend,
    Lent,
    Rebuild,
)
from reference_impl.log.statuses import Statuses
from spec.events import RECORD
from tests.support.machines import EVERYONE, NOW, kinds_of, machine_of, taken

MACHINE: Final = replace(machine_of(), statuses=Statuses(5, 5, underreplicated=frozenset({0})))
"""Five nodes, three copies; node 0 has lost its data."""

ONE, TWO = lsn_of(1, 1), lsn_of(1, 2)
COPY: Final = Copy(RECORD, 7, 0, 1, frozenset({0, 1, 2}))
NEW: Final = frozenset({1, 2, 3})
AT: Final = NOW.now_ns
REBUILD: Final = Rebuild(0, 4, TWO, {1: EVERYONE})


def step(donor: Donor, message: Any) -> tuple[Donor, list[Any], list[dict[str, Any]]]:
    """A step that must be enabled."""
    return taken(HANDLERS[type(message)](donor, message, NOW, MACHINE))


def holding(node: int, *lsns: int, copy: Copy = COPY) -> NodeLog:
    """A node with copies that are all released."""
    here = NodeLog(9, node, released=TWO)
    for lsn in lsns:
        here = here._replace(copies=here.copies.with_(lsn, copy))
    return here


class TestDonors:
    """From the disk beside it to new copies, then to new copysets, then to the event log."""

    def storing(self) -> tuple[Donor, list[Any]]:
        """Node 1 has read its disk and asks nodes to hold what counts on node 0."""
        donor, sent, _ = step(Donor(9, 1), REBUILD)
        assert sent == [Lend(0, 4, TWO)]
        donor, sent, _ = step(donor, Lent(4, ((ONE, COPY),)))
        return donor, sent

    def test_all_copies_are_stored_before_any_copyset_names_them(self) -> None:
        donor, sent = self.storing()
        (copyset,) = donor.copysets.values()
        assert len(copyset) == 3
        assert {1, 2} < copyset
        assert sent == [Hold(1, 4, AT, ((ONE, COPY._replace(copyset=copyset)),))] * 3
        *first, last = sorted(copyset)
        for node in first:
            donor, sent, _ = step(donor, Held(4, AT, node))
            assert (donor.phase, sent) == (Phase.STORING, [])
        donor, sent, _ = step(donor, Held(4, AT, last))
        assert (donor.phase, sent) == (Phase.AMENDING, [Amend(1, 4, AT, ((ONE, copyset),))] * 3)
        for node in first:
            donor, sent, _ = step(donor, Amended(4, AT, node))
        donor, sent, _ = step(donor, Amended(4, AT, last))
        assert (donor.phase, sent) == (Phase.DONE, [Donated(0, 4, 1, 9, True)])

    def test_whoever_has_nothing_to_do_is_done(self) -> None:
        donor, _, _ = step(Donor(9, 2), REBUILD)
        donor, sent, _ = step(donor, Lent(4, ((ONE, COPY),)))
        assert (donor.phase, sent) == (Phase.DONE, [Donated(0, 4, 2, 9, True)])
        assert step(donor, REBUILD)[1] == [Donated(0, 4, 2, 9, True)]

    def test_silent_nodes_are_asked_again_and_then_avoided(self) -> None:
        donor, _ = self.storing()
        (copyset,) = donor.copysets.values()
        (third,) = copyset - {1, 2}
        for node in (1, 2):
            donor, _, _ = step(donor, Held(4, AT, node))
        for _ in range(PATIENCE):
            donor, sent, _ = step(donor, Again(4))
            assert [type(message) for message in sent] == [Hold]
        donor, sent, _ = step(donor, Again(4))
        assert (donor.phase, donor.avoid, sent) == (Phase.READING, frozenset({third}), [Lend(0, 4, TWO)])
        donor, _, _ = step(donor, Lent(4, ((ONE, COPY),)))
        assert third not in donor.copysets[ONE]

    def test_what_is_of_another_rebuilding_does_not_count(self) -> None:
        donor, _ = self.storing()
        for stale in (
            Held(3, AT, 1),
            Held(4, AT - 1, 1),
            Held(4, AT, 0),
            Amended(4, AT, 1),
            Lent(4, ()),
            Again(3),
            REBUILD,
        ):
            assert HANDLERS[type(stale)](donor, stale, NOW, MACHINE) is None

    def test_a_donor_waits_where_nobody_can_hold_a_copy(self) -> None:
        donor, _, _ = step(Donor(9, 1), REBUILD._replace(nodesets={1: frozenset({0, 1, 2})}))
        assert HANDLERS[Lent](donor, Lent(4, ((ONE, COPY),)), NOW, MACHINE) is None
        stepped = HANDLERS[Again](donor, Again(4), NOW, MACHINE)
        assert stepped is not None
        assert any(isinstance(effect, After) for effect in stepped[1])

    def test_the_first_node_that_has_its_data_is_the_donor(self) -> None:
        donors = [node for node in range(5) if donates(Donor(9, node), COPY, frozenset({0}))]
        assert donors == [1]
        assert donates(Donor(9, 2), COPY._replace(recovery=3), frozenset({0}))

    def test_what_is_there_is_kept(self) -> None:
        quorums = MACHINE.quorums
        assert rebuilt_copyset(MACHINE, NEW, EVERYONE, ONE) == NEW
        found = rebuilt_copyset(MACHINE, frozenset({1}), EVERYONE - {0}, ONE)
        assert found is not None
        assert 1 in found
        assert quorums.can_replicate(found)
        assert rebuilt_copyset(MACHINE, frozenset({1}), frozenset({1, 2}), ONE) is None


class TestHolders:
    """A node lends what is released and clean, and takes nothing else."""

    def test_a_node_lends_what_counts_on_the_shard(self) -> None:
        here = holding(1, ONE)
        others = COPY._replace(copyset=frozenset({1, 2, 3}))
        here = here._replace(copies=here.copies.with_(TWO, others))
        _, sent, _ = taken(lend(here, Lend(0, 4, TWO), NOW, MACHINE))
        assert sent == [Lent(4, ((ONE, COPY),))]
        recovered = here._replace(copies=here.copies.with_(TWO, others._replace(recovery=2)))
        assert len(taken(lend(recovered, Lend(0, 4, TWO), NOW, MACHINE))[1][0].copies) == 2
        damaged = holding(1, ONE, copy=COPY._replace(damaged=True))
        assert taken(lend(damaged, Lend(0, 4, TWO), NOW, MACHINE))[1] == [Lent(4, ())]

    def test_a_node_lends_nothing_before_all_is_released(self) -> None:
        here = holding(1, ONE)._replace(released=ONE)
        assert lend(here, Lend(0, 4, TWO), NOW, MACHINE) is None
        assert lend(here._replace(released=0, clean=1), Lend(0, 4, TWO), NOW, MACHINE) is not None
        assert settled_upto(NodeLog(9, 1)) == lsn_of(1, 0)

    def test_a_node_holds_what_it_does_not_have_yet(self) -> None:
        copy = COPY._replace(copyset=NEW)
        after, sent, events = taken(hold(holding(3), Hold(1, 4, AT, ((ONE, copy),)), NOW, MACHINE))
        assert (after.copies.get(ONE), sent, kinds_of(events)) == (copy, [Held(4, AT, 3)], [trace_events.REBUILT])
        after, sent, events = taken(hold(holding(2, ONE), Hold(1, 4, AT, ((ONE, copy),)), NOW, MACHINE))
        assert (after, sent, events) == (holding(2, ONE), [Held(4, AT, 2)], [])
        damaged = holding(2, ONE, copy=COPY._replace(damaged=True))
        assert taken(hold(damaged, Hold(1, 4, AT, ((ONE, copy),)), NOW, MACHINE))[0].copies.get(ONE) == copy

    def test_a_node_takes_nothing_that_is_not_released_and_nothing_while_it_is_read_only(self) -> None:
        message = Hold(1, 4, AT, ((ONE, COPY), (TWO, COPY)))
        assert hold(holding(3)._replace(released=ONE), message, NOW, MACHINE) is None
        assert hold(holding(3), message, NOW, replace(MACHINE, read_only=frozenset({3}))) is None

    def test_an_amended_copy_counts_as_a_later_wave(self) -> None:
        after, sent, events = taken(amend(holding(2, ONE), Amend(1, 4, AT, ((ONE, NEW), (TWO, NEW))), NOW, MACHINE))
        assert after.copies.get(ONE) == COPY._replace(copyset=NEW, wave=2)
        assert (sent, kinds_of(events)) == ([Amended(4, AT, 2)], [trace_events.COPYSET])
        assert taken(amend(after, Amend(1, 4, AT, ((ONE, NEW),)), NOW, MACHINE))[2] == []

    def test_a_node_comes_back_with_its_promises_only(self) -> None:
        after, _, events = taken(come_back(holding(2, ONE), ComeBack(3), NOW, MACHINE))
        assert (after, kinds_of(events)) == (NodeLog(9, 2, seal=3), [trace_events.SEAL])
        assert taken(come_back(holding(2, ONE), ComeBack(0), NOW, MACHINE))[2] == []
