"""What nodes trim, and what readers are told of it."""

from __future__ import annotations

from typing import Any

from spec.events import DATALOSS, RECORD, TRIM, Clean, Gap, Release, Ship, Trim, Trimmed
from tests.support.tiny import at, outcomes

READER = 9


def ship(esn: int, node: int = 0) -> dict[str, Any]:
    """A node sends a record of epoch 1."""
    said = {"life": 1, "order": 1, "becomes": RECORD, "digest": esn, "upto_epoch": 1, "upto_esn": 9}
    return at(Ship, 1, esn, reader=READER, node=node, **said)


def gap(esn: int, upto: int, reason: int) -> dict[str, Any]:
    """A reader is told of a gap in epoch 1."""
    return at(Gap, 1, esn, reader=READER, upto_epoch=1, upto_esn=upto, reason=reason)


def test_nodes_trim_what_was_asked() -> None:
    """Not before it was asked, and no further."""
    rule = "log.trim.as_asked"
    assert outcomes(rule, at(Trim, 1, 5), at(Trimmed, 1, 5, node=0)) == ["holds"]
    assert outcomes(rule, at(Trim, 1, 5), at(Trimmed, 1, 3, node=0)) == ["holds"]
    assert outcomes(rule, at(Trim, 1, 5), at(Trimmed, 1, 6, node=0)) == ["violated"]
    assert outcomes(rule, at(Trimmed, 1, 5, node=0), at(Trim, 1, 5)) == ["violated"]
    assert outcomes(rule, at(Trim, 1, 9), at(Trimmed, 1, 3, node=0), at(Trim, 1, 5)) == ["holds"]


def test_trim_points_rise() -> None:
    """Each node's own: another one may be behind."""
    rule = "log.trim.point_rises"
    assert outcomes(rule, at(Trimmed, 1, 3, node=0), at(Trimmed, 1, 5, node=0)) == ["holds", "holds"]
    assert outcomes(rule, at(Trimmed, 1, 5, node=0), at(Trimmed, 1, 3, node=0)) == ["holds", "violated"]
    assert outcomes(rule, at(Trimmed, 1, 5, node=0), at(Trimmed, 1, 3, node=1)) == ["holds", "holds"]


def test_only_what_is_settled_is_trimmed() -> None:
    """A recovery could plug what is gone, unless it begins above it."""
    rule = "log.trim.only_recovered"
    assert outcomes(rule, at(Clean, 1, 8, recovery=2), at(Trimmed, 1, 5, node=0)) == ["holds"]
    assert outcomes(rule, at(Trimmed, 1, 5, node=0), at(Clean, 1, 8, recovery=2)) == ["violated"]
    assert outcomes(rule, at(Clean, 1, 8, recovery=2), at(Trimmed, 2, 5, node=0)) == ["violated"]
    assert outcomes(rule, at(Release, 1, 5), at(Trimmed, 1, 5, node=0)) == ["holds"]
    assert outcomes(rule, at(Release, 1, 4), at(Trimmed, 1, 5, node=0)) == ["violated"]
    assert outcomes(rule, at(Trimmed, 1, 5, node=0), at(Release, 1, 5)) == ["violated"]


def test_what_is_trimmed_is_not_sent() -> None:
    """What was sent before is under way; what lies above, and what others have, is sent."""
    rule = "log.trim.sends_nothing_trimmed"
    assert outcomes(rule, ship(3), at(Trimmed, 1, 5, node=0)) == ["holds"]
    assert outcomes(rule, at(Trimmed, 1, 5, node=0), ship(3)) == ["violated"]
    assert outcomes(rule, at(Trimmed, 1, 5, node=0), ship(6), ship(3, node=1)) == []


def test_a_trimmed_part_was_trimmed() -> None:
    """A gap that says so lies below some node's trim point; other gaps say something else."""
    rule = "log.trim.gap_is_trimmed"
    assert outcomes(rule, at(Trimmed, 1, 5, node=0), gap(1, 5, TRIM)) == ["holds"]
    assert outcomes(rule, at(Trimmed, 1, 5, node=0), gap(1, 6, TRIM)) == ["violated"]
    assert outcomes(rule, gap(1, 6, TRIM)) == ["violated"]
    assert outcomes(rule, gap(1, 6, DATALOSS)) == []
