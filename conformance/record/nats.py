"""Record NATS JetStream under a fault: what its clients saw, and what each replica's disk held.

`clean`: a stream of three replicas in files; the leader is killed and restarted.
`memory-killed`: a stream of one replica in memory, whose node is killed and restarted. What it acknowledged is lost,
and its sequences begin again: documented behaviour of this weak setting (NATS documentation, Streams, storage type
and replicas).
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from conformance.record.go import NATS_SERVER, build
from conformance.record.lines import write_lines
from conformance.record.live import require_live

VERSION: Final = "2.12.1"


@dataclass(frozen=True)
class NatsRecording:
    """The files of one recording; replicas is None where no disk holds the stream."""

    history: Path
    replicas: Path | None
    scenario: str
    seed: int
    version: str
    killed_node: int


def record_nats(folder: Path, scenario: str, *, seed: int = 0) -> NatsRecording:
    """Run a scenario; leave history and replicas (.jsonl.zst) in the folder.

    The history has a row for each append, outcome, delivery and fault; replicas has one for each message and node. The
    seed sets the writers' pace and the moment of the fault.

    Raises ValueError for an unknown scenario, `PackagesUnavailable` when the server or the client cannot be had,
    `LockMismatch` when a module is not the locked one, `ClusterFailed` when the cluster does not do its part.
    """
    require_live("nats")
    from conformance.record.nats_scenarios import SCENARIOS, play  # noqa: PLC0415 - needs the optional group `live`

    if scenario not in SCENARIOS:
        raise ValueError(f"unknown NATS scenario {scenario!r}: choose one of {', '.join(SCENARIOS)}")
    program = build(NATS_SERVER)
    with tempfile.TemporaryDirectory(prefix="quorate-nats-") as disks:
        scene, held = play(scenario, Path(disks), program, seed=seed)
    history, replicas = folder / "history.jsonl.zst", folder / "replicas.jsonl.zst"
    write_lines(history, scene.history.rows)
    if held:
        write_lines(replicas, held)
    return NatsRecording(history, replicas if held else None, scenario, seed, VERSION, scene.killed_node)
