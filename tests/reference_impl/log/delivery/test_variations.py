"""Variations of single copy delivery: LogDevice, Read path, Single copy delivery and SCD greylisting, settings."""

from __future__ import annotations

from reference_impl.log.delivery.greylist import Greylist, Window, detect, on_progress, on_slide, with_nodes
from reference_impl.log.delivery.shipping import Stored, Stream, shippers
from reference_impl.log.delivery.shuffle import Reordering, seeds_of

COPYSET = (20, 21, 22)


def sender(reordering: Reordering, session: str) -> frozenset[int]:
    """Who sends a record to a reader."""
    return shippers(Stream(0, seeds=seeds_of(reordering, session)), Stored(1, COPYSET))


def test_without_shuffling_the_first_sends() -> None:
    """scd-copyset-reordering-max: none."""
    assert sender(Reordering.NONE, "a") == {20}


def test_by_fixed_seeds_all_readers_are_served_by_one_node() -> None:
    """scd-copyset-reordering-max: hash-shuffle; so that a record is read from disk once for all."""
    assert {sender(Reordering.HASH_SHUFFLE, f"reader-{number}") for number in range(50)} == {frozenset({22})}


def test_by_their_own_seeds_readers_are_spread() -> None:
    """scd-copyset-reordering-max: hash-shuffle-client-seed; always the same node for one reader."""
    own = [sender(Reordering.HASH_SHUFFLE_CLIENT_SEED, f"reader-{number}") for number in range(50)]
    assert set(own) == {frozenset({node}) for node in COPYSET}
    assert own == [sender(Reordering.HASH_SHUFFLE_CLIENT_SEED, f"reader-{number}") for number in range(50)]


def test_a_detector_that_is_off_blames_nobody() -> None:
    """reader-slow-shards-detection: switched off, there is no candidate, however slow a node is."""
    found = []
    for candidates in (frozenset(range(4)), frozenset[int]()):
        greylist = on_slide(with_nodes(Greylist({}), frozenset(range(4)), candidates, 1), Window(10, 0), 0)
        for node in range(3):
            greylist = on_progress(greylist, node, 11, 10)
        found.append(detect(greylist, 9_000)[0].outliers)
    assert found == [{3}, frozenset()]
