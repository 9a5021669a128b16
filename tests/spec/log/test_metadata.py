"""Where epochs lie, as the metadata log says: LogDevice, Read path, Metadata log."""

from __future__ import annotations

from dataclasses import replace

from spec.events import Described, Learnt, NewEpoch, Release
from tests.support.tiny import THREE, at, outcomes

ALL, FEW = frozenset({0, 1, 2}), frozenset({0, 1})


def epoch(number: int, nodes: frozenset[int] = ALL, copies: int = 2) -> dict[str, object]:
    """The epoch store gives an epoch to a sequencer."""
    return at(NewEpoch, number, 0, sequencer=0, nodeset=nodes, replication={"node": copies})


def described(
    number: int,
    nodes: frozenset[int] = ALL,
    since: int = 1,
    holders: frozenset[int] = FEW,
    time: int = 0,
    copies: int = 2,
) -> dict[str, object]:
    """The metadata of an epoch can be read."""
    said = {"nodeset": nodes, "replication": {"node": copies}, "since": since, "holders": holders}
    return at(Described, number, 0, sequencer=0, **said, **({"time": time} if time else {}))


def learnt(number: int, nodes: frozenset[int] = ALL, copies: int = 2) -> dict[str, object]:
    """A reader finds the metadata of an epoch."""
    return at(Learnt, number, 0, reader=3, nodeset=nodes, replication={"node": copies}, since=1)


def test_metadata_are_readable_once_they_are_replicated() -> None:
    """On as many nodes as an acknowledgement promises copies: of how many a record of the log has, nothing follows."""
    rule, two = "log.metadata.is_replicated", replace(THREE, copies=2)
    assert outcomes(rule, described(1), parameters=two) == ["holds"]
    assert outcomes(rule, described(1, holders=frozenset({2})), parameters=two) == ["violated"]
    assert outcomes(rule, described(1, copies=3), parameters=two) == ["holds"]


def test_an_epoch_is_released_once_its_metadata_are_readable() -> None:
    """Without a metadata log there is nothing to wait for."""
    rule, release = "log.metadata.before_release", at(Release, 1, 0, time=50)
    assert outcomes(rule, described(1, time=50), release) == ["holds"]
    assert outcomes(rule, described(1, time=51), release) == ["violated"]
    assert outcomes(rule, described(2, time=40), release) == ["violated"]
    assert outcomes(rule, epoch(1), release) == []


def test_metadata_that_go_on_are_readable_already() -> None:
    rule, later = "log.metadata.before_release", at(Release, 2, 0, time=50)
    assert outcomes(rule, epoch(1), described(1, time=40), epoch(2), later) == ["holds"]
    assert outcomes(rule, epoch(1), described(1, time=51), epoch(2), later) == ["violated"]
    assert outcomes(rule, epoch(1), described(1, time=40), epoch(2, FEW), later) == ["violated"]
    late = described(2, time=60)
    assert outcomes(rule, epoch(1), described(1, time=40), epoch(2), late, later) == ["holds"]
    assert outcomes(rule, epoch(1), described(1, time=40), epoch(2, FEW), late, later) == ["violated"]


def test_metadata_go_on_for_many_epochs() -> None:
    rule, third = "log.metadata.before_release", at(Release, 3, 0, time=50)
    first = [epoch(1), described(1, time=40)]
    assert outcomes(rule, *first, epoch(2), epoch(3), third) == ["holds"]
    assert outcomes(rule, *first, epoch(2, FEW), epoch(3, FEW), third) == ["violated"]
    assert outcomes(rule, *first, epoch(2, FEW), described(2, FEW, time=45), epoch(3), third) == ["violated"]
    assert outcomes(rule, *first, third) == ["unknown"], "nobody says which metadata the third epoch has"


def test_the_metadata_log_says_what_the_epoch_store_gave() -> None:
    rule = "log.metadata.as_given"
    assert outcomes(rule, epoch(1), described(1)) == ["holds"]
    assert outcomes(rule, epoch(1, FEW), described(1)) == ["violated"]
    assert outcomes(rule, epoch(1, copies=3), described(1)) == ["violated"]
    assert outcomes(rule, epoch(1), epoch(2), described(2)) == ["holds"]
    assert outcomes(rule, epoch(1, FEW), epoch(2), described(2)) == ["violated"]
    assert outcomes(rule, described(1)) == ["unknown"]


def test_ranges_follow_each_other() -> None:
    """Metadata that are news in epoch 3 cannot be those of epoch 2, which had others."""
    rule = "log.metadata.ranges_are_apart"
    assert outcomes(rule, described(2, since=1), described(3, since=1)) == ["holds"]
    assert outcomes(rule, described(2, since=1), described(3, since=3)) == ["holds"]
    assert outcomes(rule, described(2, since=1), described(3, since=2)) == ["violated"]
    assert outcomes(rule, described(2, since=1), described(3, since=4)) == ["violated"]
    assert outcomes(rule, described(2, since=2), described(3, since=1)) == ["violated"]
    assert outcomes(rule, described(2, since=2)) == []


def test_a_reader_goes_by_the_metadata_in_force() -> None:
    rule = "log.metadata.in_force"
    assert outcomes(rule, epoch(1), learnt(1)) == ["holds"]
    assert outcomes(rule, epoch(1), epoch(2, FEW), learnt(2)) == ["violated"]
    assert outcomes(rule, epoch(1), learnt(1, copies=1)) == ["violated"]
    assert outcomes(rule, epoch(1), learnt(2)) == ["unknown"]
