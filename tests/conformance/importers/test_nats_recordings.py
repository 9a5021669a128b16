"""Recordings of a real NATS JetStream cluster: what was acknowledged, and what a damaged node's replica then lacked.

Source of the numbers: the background material's data/README.md and reference/real_systems.md, NATS.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

from conformance.importers.nats import import_nats
from spec.events import HOLE, Ack, AtEnd, Gap, Indefinite, Store
from spec.language.outcomes import Verdict
from tests.support.recordings import by_id, checked, of_kind, undecided, violated, write

LOST, BEYOND = "client.read.acked_is_delivered", "client.read.nothing_beyond_the_end"
KILLED, FLIPPED = "v2121_kill9", "v2121_blk_snap_hdr_all"


def rows(shared: Path, name: str) -> list[dict[str, Any]]:
    """The rows of a recorded history."""
    packed = (shared / f"data/nats/{name}.jsonl.zst").read_bytes()
    with zstandard.ZstdDecompressor().stream_reader(packed) as plain:
        return [json.loads(line) for line in plain.read().splitlines()]


@pytest.mark.parametrize("looked", [False, True], ids=["clients alone", "with replicas"])
def test_a_killed_leader_loses_nothing(shared: Path, tmp_path: Path, looked: bool) -> None:
    """data/README.md: 3997 acknowledged, none lost, 208 without an answer; all replicas hold the same."""
    replicas = shared / f"data/nats/{KILLED}.replicas.jsonl.zst" if looked else None
    header, events = import_nats(shared / f"data/nats/{KILLED}.jsonl.zst", replicas=replicas)
    assert len(of_kind(events, Ack.kind or 0)) == 3997
    assert len(of_kind(events, Indefinite.kind or 0)) == 208
    assert len(of_kind(events, Store.kind or 0)) == (3 * 3997 if looked else 0)
    verdict = checked(tmp_path, header, events)
    assert (verdict.verdict, violated(verdict), undecided(verdict)) == (Verdict.HOLDS, {}, set())
    assert by_id(verdict)[LOST].judged == 3997


@pytest.mark.parametrize("looked", [False, True], ids=["clients alone", "with replicas"])
def test_a_flipped_bit_hides_400_of_700(shared: Path, tmp_path: Path, looked: bool) -> None:
    """data/README.md: 400 of 700 are reported missing, silently. The node has a copy of one at another sequence."""
    replicas = shared / f"data/nats/{FLIPPED}.replicas.jsonl.zst" if looked else None
    header, events = import_nats(shared / f"data/nats/{FLIPPED}.jsonl.zst", replicas=replicas)
    holes = of_kind(events, Gap.kind or 0)
    assert [(event["esn"], event["arg"]) for event in holes] == [(sequence, HOLE) for sequence in range(301, 701)]
    assert [event["extra"] for event in of_kind(events, AtEnd.kind or 0)] == [{"served_by": "n2"}]
    verdict = checked(tmp_path, header, events)
    assert violated(verdict) == {LOST: 400, BEYOND: 400}
    assert by_id(verdict)[LOST].judged == 700
    if looked:
        assert [event["recorder"] for event in of_kind(events, Store.kind or 0) if event["esn"] > 700] == ["n2"]


@pytest.mark.parametrize(
    ("keeps", "wrong"),
    [(lambda client: client != "get", {BEYOND: 400}), (lambda client: client != "reader", {LOST: 400})],
    ids=["consumer", "gets"],
)
def test_either_way_to_read_shows_it(
    shared: Path, tmp_path: Path, keeps: Callable[[str], bool], wrong: dict[str, int]
) -> None:
    """reference/real_systems.md: the consumer ends with nothing pending; the leader is asked for each sequence."""
    history = write(tmp_path / "history.jsonl", (row for row in rows(shared, FLIPPED) if keeps(row["client"])))
    verdict = checked(tmp_path, *import_nats(history))
    assert violated(verdict) == wrong
