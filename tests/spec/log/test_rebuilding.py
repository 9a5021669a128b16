"""Statuses of the event log, and what is rebuilt: LogDevice, Read path, Authoritative Status; docs/Rebuilding.md."""

from __future__ import annotations

from typing import Any

from spec.events import (
    ACKNOWLEDGED,
    BRIDGE,
    HOLE,
    IS_LOST,
    RECORD,
    Ack,
    CopysetChanged,
    Donated,
    Emptied,
    Erase,
    Mutate,
    NewEpoch,
    Rebuilding,
    Rebuilt,
    Release,
    StatusTable,
    Store,
)
from spec.log.topology import Topology
from tests.support.tiny import at, outcomes

ALL = frozenset({0, 1, 2})
NOBODY = frozenset[int]()
RACKS = Topology.of(["r.d.c.w.a", "r.d.c.w.a", "r.d.c.w.b"]).parameters()

Event = dict[str, object]


def table(version: int, lost: int | None = None, empty: int | None = None, **fields: Any) -> Event:
    """A version of the status table in which at most one node has lost its data, and one is empty."""
    sets = [NOBODY if node is None else frozenset({node}) for node in (lost, empty)]
    said: dict[str, Any] = {"version": version, "unavailable": NOBODY, "underreplicated": sets[0], "empty": sets[1]}
    return at(StatusTable, **(said | fields))


def said(version: int, delta: int) -> Event:
    """The event log says something of node 0."""
    return at(Rebuilding, version=version, node=0, delta=delta, began=1, donors=frozenset({1}), relocating=NOBODY)


def donated(version: int, *left: int, relocating: frozenset[int] = NOBODY) -> Event:
    """Node 1 is done, and these donors are left."""
    return at(Donated, version=version, node=0, began=1, donor=1, donors=frozenset(left), relocating=relocating)


def new_epoch(**factors: int) -> Event:
    """An epoch begins on three nodes, with two copies of each record."""
    return at(NewEpoch, 1, 0, sequencer=0, nodeset=ALL, replication={"node": 2} | factors)


def store(esn: int, node: int, digest: int = 7) -> Event:
    """A node stores an append."""
    return at(Store, 1, esn, node=node, wave=1, becomes=RECORD, recovery=0, copyset=frozenset({0, 1}), digest=digest)


def ack(esn: int) -> Event:
    """A record is acknowledged on nodes 0 and 1."""
    return at(Ack, 1, esn, writer=5, digest=7, required=2, copyset=frozenset({0, 1}))


def rebuilt(esn: int, node: int = 2, digest: int = 7, becomes: int = RECORD) -> Event:
    """A donor gives a node a copy."""
    return at(Rebuilt, 1, esn, node=node, digest=digest, becomes=becomes, began=1, donor=1, copyset=frozenset({1, 2}))


def renamed(esn: int, *copyset: int, node: int = 1) -> Event:
    """A node learns a new copyset."""
    return at(CopysetChanged, 1, esn, node=node, began=1, donor=1, copyset=frozenset(copyset))


class TestTables:
    """Each delta of the event log makes one new version of the status table."""

    def test_all_that_is_said_of_a_version_is_the_same(self) -> None:
        rule = "log.status.one_table"
        assert outcomes(rule, table(1), table(1), table(2, lost=0)) == ["holds"] * 3
        assert outcomes(rule, table(1), table(1, lost=0)) == ["violated"] * 2

    def test_versions_come_in_order(self) -> None:
        rule = "log.status.versions_in_order"
        assert outcomes(rule, table(1, time=10), table(2, time=20)) == ["holds"]
        assert outcomes(rule, table(1, time=20), table(2, time=10)) == ["violated"]
        assert outcomes(rule, table(1, time=20), table(3, time=10)) == []

    def test_only_lost_or_leaving_nodes_become_empty(self) -> None:
        rule = "log.status.empty_after_loss"
        assert outcomes(rule, table(1, lost=0), donated(2), table(2, empty=0)) == ["holds"]
        assert outcomes(rule, table(1, unavailable=frozenset({0})), donated(2), table(2, empty=0)) == ["holds"]
        assert outcomes(rule, table(1), donated(2, relocating=frozenset({0})), table(2, empty=0)) == ["holds"]
        assert outcomes(rule, table(1), donated(2), table(2, empty=0)) == ["violated"]
        assert outcomes(rule, table(1, empty=0), donated(2), table(2, empty=0)) == []

    def test_a_node_becomes_empty_by_the_word_of_its_last_donor(self) -> None:
        rule = "log.status.empty_after_donors"
        assert outcomes(rule, table(1, lost=0), donated(2), table(2, empty=0)) == ["holds"]
        assert outcomes(rule, table(1, lost=0), donated(2, 2), table(2, empty=0)) == ["violated"]
        assert outcomes(rule, table(1, lost=0), table(2, empty=0)) == ["violated"]

    def test_a_node_that_is_given_up_is_empty_if_its_donors_were_done(self) -> None:
        """It was rebuilt already, and only its own data could still come back."""
        rule, down = "log.status.empty_after_donors", table(1, unavailable=frozenset({0}))
        given_up, never_begun = said(2, IS_LOST) | {"nodes": NOBODY}, {"arg_b": 0}
        assert outcomes(rule, down, given_up, table(2, empty=0)) == ["holds"]
        assert outcomes(rule, down, said(2, IS_LOST), table(2, empty=0)) == ["violated"]
        assert outcomes(rule, down, given_up | never_begun, table(2, empty=0)) == ["violated"]
        assert outcomes(rule, down, said(2, ACKNOWLEDGED) | {"nodes": NOBODY}, table(2, empty=0)) == ["violated"]

    def test_a_lost_node_counts_again_when_it_says_so(self) -> None:
        rule = "log.status.back_by_its_word"
        assert outcomes(rule, table(1, empty=0), said(2, ACKNOWLEDGED), table(2)) == ["holds"]
        assert outcomes(rule, table(1, empty=0), said(2, IS_LOST), table(2)) == ["violated"]
        assert outcomes(rule, table(1, lost=0), table(2)) == ["violated"]
        assert outcomes(rule, table(1, lost=0), table(2, empty=0)) == []


class TestCopies:
    """Rebuilding copies what is released and clean, as it is."""

    def test_rebuilt_copies_are_of_the_record(self) -> None:
        rule = "log.rebuilding.one_record"
        assert outcomes(rule, store(1, 1), rebuilt(1)) == ["holds"]
        assert outcomes(rule, store(1, 1), rebuilt(1, digest=8)) == ["violated"]
        assert outcomes(rule, store(1, 1), rebuilt(1, digest=0, becomes=HOLE)) == []

    def test_nothing_is_rebuilt_that_recovery_did_not_keep(self) -> None:
        rule = "log.rebuilding.what_was_kept"
        hole = at(Mutate, 1, 1, becomes=HOLE, recovery=2, digest=0)
        bridge = at(Mutate, 1, 2, becomes=BRIDGE, recovery=2, digest=0)
        assert outcomes(rule, rebuilt(1), bridge) == ["holds"]
        assert outcomes(rule, rebuilt(1), hole) == ["violated"]
        assert outcomes(rule, rebuilt(3), bridge) == ["violated"]

    def test_only_what_is_released_is_rebuilt(self) -> None:
        rule = "log.rebuilding.only_released"
        early, late = at(Release, 1, 2, time=10), at(Release, 1, 2, time=30)
        copy = rebuilt(1) | {"time_ns": 20}
        assert outcomes(rule, early, copy) == ["holds"]
        assert outcomes(rule, late, copy) == ["violated"]
        assert outcomes(rule, copy) == ["violated"]


class TestCopysets:
    """LogDevice, Read path, Copyset: it may be mutated by the rebuilding process."""

    def test_a_new_copyset_names_holders(self) -> None:
        rule = "log.rebuilding.names_holders"
        assert outcomes(rule, store(1, 1), rebuilt(1), renamed(1, 1, 2)) == ["holds"]
        assert outcomes(rule, store(1, 1), renamed(1, 1, 2)) == ["violated"]

    def test_a_new_copyset_is_spread(self) -> None:
        rule = "log.rebuilding.copyset_is_spread"
        assert outcomes(rule, new_epoch(rack=2), renamed(1, 1, 2), parameters=RACKS) == ["holds"]
        assert outcomes(rule, new_epoch(rack=2), renamed(1, 0, 1), parameters=RACKS) == ["violated"]
        assert outcomes(rule, new_epoch(), renamed(1, 1)) == ["violated"]
        assert outcomes(rule, new_epoch(rack=2), rebuilt(1), parameters=RACKS) == ["holds"]
        assert outcomes(rule, new_epoch(rack=2), rebuilt(1) | {"nodes": frozenset({0, 1})}, parameters=RACKS) == [
            "violated"
        ]
        assert outcomes(rule, new_epoch(), rebuilt(1) | {"nodes": None}) == []

    def test_what_an_empty_node_held_lies_elsewhere(self) -> None:
        rule = "log.rebuilding.empty_is_elsewhere"
        begin = [new_epoch(), store(1, 0), store(1, 1), ack(1), at(Erase, 1, 1, node=0)]
        emptied = at(Emptied, 1, 5, node=0, version=2)
        assert outcomes(rule, *begin, rebuilt(1), emptied) == ["holds"]
        assert outcomes(rule, *begin, renamed(1, 1, 2, node=2), emptied) == ["holds"]
        assert outcomes(rule, *begin, emptied) == ["violated"]
        assert outcomes(rule, *begin) == []
        assert outcomes(rule, *begin, at(Emptied, 1, 5, node=2, version=2)) == []
        assert outcomes(rule, *begin, at(Emptied, 1, 0, node=0, version=2)) == []

    def test_what_an_empty_node_has_not_erased_yet(self) -> None:
        """Nor does it count that another one is empty only up to an earlier LSN."""
        rule = "log.rebuilding.empty_is_elsewhere"
        begin = [new_epoch(), store(2, 0), store(2, 1), ack(2)]
        emptied = [at(Emptied, 1, 2, node=0, version=2), at(Emptied, 1, 1, node=2, version=1)]
        assert outcomes(rule, *begin, *emptied) == ["violated"]
        assert outcomes(rule, *begin, rebuilt(2), *emptied) == ["holds"]
        assert outcomes(rule, *begin, store(2, 2), *emptied) == ["holds"]

    def test_what_came_after_it_was_empty_is_not_meant(self) -> None:
        """The node serves again; what it holds since is asked of once it is emptied again."""
        rule = "log.rebuilding.empty_is_elsewhere"
        emptied, later = at(Emptied, 1, 9, node=0, version=2), [new_epoch(), store(2, 0), store(2, 1), ack(2)]
        assert outcomes(rule, emptied, *later) == ["holds"]
        assert outcomes(rule, emptied, *later, at(Emptied, 1, 9, node=0, version=4)) == ["violated"]
        assert outcomes(rule, emptied | {"time_ns": None}, *later) == ["unknown"]


def test_only_what_was_stored_is_rebuilt() -> None:
    rule = "log.rebuilding.of_what_was_stored"
    assert outcomes(rule, store(1, 0), rebuilt(1)) == ["holds"]
    assert outcomes(rule, rebuilt(1)) == ["violated"]
    assert outcomes(rule, store(1, 0)) == []


def test_donors_rebuild_what_they_hold() -> None:
    """Node 1 is the donor."""
    rule = "log.rebuilding.of_what_donors_hold"
    plug = store(1, 1) | {"arg_b": HOLE}
    assert outcomes(rule, store(1, 1), rebuilt(1)) == ["holds"]
    assert outcomes(rule, plug, rebuilt(1, becomes=BRIDGE)) == ["holds"]
    assert outcomes(rule, plug, store(1, 0), rebuilt(1)) == ["violated"]
    assert outcomes(rule, store(1, 0), rebuilt(1)) == ["violated"]
    assert outcomes(rule, store(1, 0), rebuilt(1) | {"actor": None}) == [], "nobody said who the donor was"
    assert outcomes(rule, store(1, 1)) == []
