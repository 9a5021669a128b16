"""Copysets with extras: LogDevice, Single Copy Delivery, Appender stages, by its example: [3, 2, 1, 0, 4], R 3, X 2."""

from __future__ import annotations

from typing import Any

from spec.events import (
    RECORD,
    Ack,
    Append,
    AppenderDone,
    DeleteSent,
    Emptied,
    Erase,
    Mutate,
    NewEpoch,
    Rebuilt,
    Release,
    Store,
)
from spec.log.topology import Topology
from tests.support import tiny

FIVE = Topology.flat(5).parameters()
EPOCH = {"sequencer": 0, "nodeset": frozenset(range(5)), "replication": {"node": 3}}


def began() -> dict[str, Any]:
    """Three copies on five nodes."""
    return tiny.at(NewEpoch, 1, 0, **EPOCH)


def stored(*nodes: int, recovery: int = 0, copyset: set[int] | None = None, wave: int = 1) -> list[dict[str, Any]]:
    """Each of these nodes stored the record of ESN 1."""
    sent = frozenset(range(5) if copyset is None else copyset)
    said = {"becomes": RECORD, "digest": 7, "wave": wave, "recovery": recovery, "copyset": sent}
    return [tiny.at(Store, 1, 1, node=node, **said) for node in nodes]


def dismissed(told: set[int], kept: set[int]) -> dict[str, Any]:
    """Some nodes were told to delete it."""
    return tiny.at(DeleteSent, 1, 1, wave=1, told=frozenset(told), kept=frozenset(kept))


def retired(had: set[int], stay: tuple[int, ...] = (3, 2, 1), esn: int = 1) -> dict[str, Any]:
    """It may be released, for N3 has it."""
    return tiny.at(AppenderDone, 1, esn, wave=1, leaders=frozenset({3}), stay=frozenset(stay), stored=frozenset(had))


def acked() -> dict[str, Any]:
    """The writer was answered."""
    return tiny.at(Ack, 1, 1, writer=0, digest=7, copyset=frozenset({2, 0, 4}), required=3)


def outcomes(rule: str, *events: dict[str, Any]) -> list[str]:
    return tiny.outcomes(rule, *events, parameters=FIVE)


def test_enough_others_keep_it() -> None:
    rule = "log.stages.enough_keep_it"
    assert outcomes(rule, began(), dismissed({4}, {3, 2, 0})) == ["holds"]
    assert outcomes(rule, began(), dismissed({4}, {2, 0})) == ["violated"]
    assert outcomes(rule, began(), dismissed({4}, {2, 0, 4})) == ["violated"]


def test_acknowledged_is_kept() -> None:
    """By whoever was not told to delete it, had it from a recovery, or stored it again after it had deleted it."""
    rule = "log.stages.acked_is_kept"
    told = [dismissed({4}, {3, 2, 0})]
    assert outcomes(rule, began(), *stored(2, 0, 4, 3), acked(), *told) == ["holds"]
    assert outcomes(rule, began(), *stored(2, 0, 4), acked(), *told) == ["violated"]
    assert outcomes(rule, began(), *stored(2, 0, 4), *stored(4, recovery=2), acked(), *told) == ["holds"]
    assert outcomes(rule, began(), *stored(2, 0, 4), *told) == []
    first = [began(), *stored(2, 0, 4), acked(), *told]
    assert outcomes(rule, *first, *stored(4, wave=2)) == ["holds"]
    deleted = tiny.at(Erase, 1, 1, node=4)
    assert outcomes(rule, *first, deleted, *stored(4)) == ["holds"]
    assert outcomes(rule, *first, deleted, *stored(4), dismissed({4}, {3, 2, 0})) == ["violated"]


def test_leaders_have_what_may_be_released() -> None:
    rule = "log.stages.leaders_have_it"
    assert outcomes(rule, retired({3, 2, 0})) == ["holds"]
    assert outcomes(rule, retired({2, 0, 4})) == ["violated"]
    assert outcomes(rule, retired({3, 2, 0}, stay=(2, 1, 0))) == ["violated"]


def test_leaders_keep_it() -> None:
    rule = "log.stages.leaders_keep_it"
    assert outcomes(rule, *stored(3, 2, 0), retired({3, 2, 0})) == ["holds"]
    assert outcomes(rule, *stored(2, 0), retired({3, 2, 0})) == ["violated"]
    assert outcomes(rule, *stored(3, 2, 0, 1), retired({3, 2, 0}), dismissed({3}, {2, 1, 0})) == ["violated"]


def test_released_when_its_leaders_have_it() -> None:
    """Unless a recovery made it good; where nothing of leaders is recorded, nothing is asked."""
    rule = "log.stages.released_when_led"
    append, other = tiny.at(Append, 1, 1, digest=7), retired({3, 2, 0}, esn=9)
    assert outcomes(rule, append, retired({3, 2, 0}), tiny.at(Release, 1, 1)) == ["holds"]
    assert outcomes(rule, append, tiny.at(Release, 1, 1), other) == ["violated"]
    assert outcomes(rule, append, tiny.at(Release, 1, 1)) == []
    early = tiny.at(Release, 1, 1)
    assert outcomes(rule, append, early, retired({3, 2, 0})) == ["violated"]
    kept = tiny.at(Mutate, 1, 1, digest=7, becomes=RECORD, recovery=2)
    assert outcomes(rule, append, kept, tiny.at(Release, 1, 1), other) == ["holds"]


def test_nothing_is_deleted_after_release() -> None:
    """Of what a recovery has made good a sequencer may not know that it was released."""
    rule = "log.stages.deleted_before_release"
    told = dismissed({4}, {3, 2, 0})
    release = tiny.at(Release, 1, 1)
    assert outcomes(rule, told, release) == ["holds"]
    late = dismissed({4}, {3, 2, 0})
    assert outcomes(rule, release, late) == ["violated"]
    kept = tiny.at(Mutate, 1, 1, digest=7, becomes=RECORD, recovery=2)
    assert outcomes(rule, kept, release, late) == ["holds"]
    assert outcomes(rule, late) == []


def test_no_extra_stays() -> None:
    """Where all that are to have it do."""
    rule = "log.stages.no_extra_stays"
    assert outcomes(rule, dismissed({0, 4}, {3, 2, 1}), retired({3, 2, 1, 0, 4})) == ["holds"]
    assert outcomes(rule, dismissed({4}, {3, 2, 1}), retired({3, 2, 1, 0, 4})) == ["violated"]
    assert outcomes(rule, retired({3, 2, 0, 4})) == []


def test_a_deleted_extra_is_neither_a_loss_nor_a_copy() -> None:
    """When N3 is empty, its record must lie on others; N4 was told to delete its copy, and did."""
    rule = "log.stages.empty_is_elsewhere"
    told = [began(), *stored(3, 2, 0, 4), acked(), dismissed({4}, {3, 2, 0})]
    told += [tiny.at(Erase, 1, 1, node=node) for node in (4, 3)]
    empty = tiny.at(Emptied, 1, 1, node=3, version=5)
    assert outcomes(rule, *told, empty) == ["violated"]
    rebuilt = tiny.at(Rebuilt, 1, 1, node=1, digest=7, becomes=RECORD)
    assert outcomes(rule, *told, rebuilt, empty) == ["holds"]
    assert outcomes(rule, *told, *stored(4, recovery=2), empty) == ["holds"]
    assert outcomes(rule, *told, *stored(3, recovery=2), empty) == ["violated"]
    assert outcomes(rule, *told) == []


def test_a_wave_has_one_copyset() -> None:
    rule = "log.append.wave_has_one_copyset"
    assert outcomes(rule, *stored(0, 1, copyset={0, 1, 2})) == ["holds"]
    assert outcomes(rule, *stored(0, copyset={0, 1, 2}), *stored(1, copyset={1, 2, 3})) == ["violated"]
    assert outcomes(rule, *stored(0, copyset={0, 1, 2}), *stored(1, copyset={1, 2, 3}, wave=2)) == ["holds"]
    assert outcomes(rule, *stored(1, copyset={1, 2, 3}, wave=2)) == []
