"""Record Apache BookKeeper under faults: what its clients saw, how its metadata changed, and what each bookie stored.

`takeover`: three copies, acknowledged by two; a bookie is killed, and the ensemble changes; another client takes the
ledger over while its writer writes.
`ack1-bookie-wiped`: three copies, acknowledged by one; that one loses its disk before the others have copied, so
acknowledged entries are lost: documented behaviour of this weak setting (BookKeeper documentation, "The BookKeeper
protocol": all acknowledged entries survive as many failures as the ack quorum, less one).
`striped`: nothing happens to a ledger each bookie of which has every third entry; yet BookKeeper's own checker reports
an entry without any copy, as its search gives up too early (util/AvailabilityOfEntriesOfLedger.java).
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from conformance.record.jars import BOOKKEEPER_LOCK, fetch, locked_version
from conformance.record.java import find_java
from conformance.record.lines import write_lines

if TYPE_CHECKING:
    from conformance.record.bookkeeper_scenarios import RunningScenario

VERSION: Final = locked_version(BOOKKEEPER_LOCK, "org.apache.bookkeeper:bookkeeper-server")
SCENARIOS: Final = ("takeover", "ack1-bookie-wiped", "striped")
FILES: Final[Mapping[str, Callable[[RunningScenario], list[dict[str, object]]]]] = {
    "history": lambda scene: scene.history.rows,
    "metadata": lambda scene: scene.metadata,
    "stored": lambda scene: scene.stored,
    "lists": lambda scene: scene.lists,
    "audited": lambda scene: scene.audited,
}
"""The files of a recording, and what each of them has."""


@dataclass(frozen=True)
class BookKeeperRecording:
    """The files of one recording.

    Attributes:
        history: a row for each append, outcome, read, takeover and fault.
        metadata: a row for each change that ZooKeeper made to a ledger's metadata or to who is registered.
        stored: a row for each entry or fence in a bookie's journals, in order, and where it was wiped.
        lists: a row for each list of entries that a bookie sent in the end.
        audited: a row for each ledger with which BookKeeper's own checker finds fault in the end.
    """

    history: Path
    metadata: Path
    stored: Path
    lists: Path
    audited: Path
    scenario: str
    seed: int
    version: str


def record_bookkeeper(
    folder: Path, scenario: str, *, seed: int = 0, java: str | None = None, compress: bool = True
) -> BookKeeperRecording:
    """Run a scenario of ``SCENARIOS``; leave the five files of a recording (.jsonl or .jsonl.zst) in the folder.

    The seed sets the writer's pace, the moment of the fault and whom it hits.

    Raises:
        ValueError: there is no such scenario.
        PackagesUnavailable: BookKeeper or Java cannot be had.
        LockMismatch: BookKeeper is not the locked one.
        ClusterFailed: the cluster does not do its part.
    """
    if scenario not in SCENARIOS:
        raise ValueError(f"unknown BookKeeper scenario {scenario!r}: choose one of {', '.join(SCENARIOS)}")
    from conformance.record.bookkeeper_scenarios import play  # noqa: PLC0415 - imports py4j, which only players need

    jars, java = fetch(BOOKKEEPER_LOCK), java or find_java()
    with tempfile.TemporaryDirectory(prefix="quorate-bookkeeper-") as disks:
        scene = play(scenario, Path(disks), jars, java, seed=seed)
    ending = ".jsonl.zst" if compress else ".jsonl"
    paths = {name: folder / f"{name}{ending}" for name in FILES}
    for name, rows_of in FILES.items():
        write_lines(paths[name], rows_of(scene))
    return BookKeeperRecording(**paths, scenario=scenario, seed=seed, version=VERSION)
