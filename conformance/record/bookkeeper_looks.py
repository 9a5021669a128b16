"""Look at BookKeeper from behind: the changes that ZooKeeper made, the journals of bookies, and what bookies list."""

from __future__ import annotations

import re
import time
from base64 import b64decode, b64encode
from collections import defaultdict, deque
from collections.abc import Iterator
from typing import Final

from conformance.record.bookkeeper_client import Client
from conformance.record.bookkeeper_cluster import LEDGERS, BookKeeperCluster
from conformance.record.bookkeeper_journal import read_journal
from conformance.record.zookeeper_log import Changed, read_transactions
from spec.ledger.durability import Durability
from spec.ledger.forms.versions import read
from spec.ledger.metadata import NO_ENTRY

Rows = list[dict[str, object]]

_MILLISECOND_NS: Final = 1_000_000
_LEDGER: Final = re.compile(LEDGERS + r"/(\d{2})/(\d{4})/L(\d{4})")
_TAKING: Final = re.compile(r"BookieImpl (\d+) Adding entry \{entryId=(\d+), ledgerId=(\d+)\}")
_ACKNOWLEDGED: Final = re.compile(r"PendingAddOp \d+ Submit callback \{entryId=(\d+), ledgerId=(\d+), rc=0\}")
_CHANGING: Final = re.compile(r"LedgerHandle \d+ Changing ensemble \{.*ledgerId=(\d+), .*newEnsembleStartEntry=(\d+)\}")
_FINDINGS: Final = {
    "Ledger entry is missing all replicas": Durability.NO_REPLICA,
    "Ledger entry has fewer replicas than ackQuorum": Durability.BELOW_ACK_QUORUM,
    "Ledger entry has fewer replicas than writeQuorum": Durability.BELOW_WRITE_QUORUM,
}
"""What BookKeeper's checker says of a ledger, by how we call that: replication/AuditorReplicasCheckTask.java."""

_REGISTRATION: Final = re.compile(LEDGERS + r"/available/([^/]+:\d+)")


def stored_rows(cluster: BookKeeperCluster, bookie: int) -> Rows:
    """What a bookie wrote down, in order: fences, and entries with what was sent along.

    Journals have no clock. An entry's time is when the bookie noted that it took it, just before it wrote it down.
    """
    taken = _taken(cluster.bookie_log(bookie), _ahead_ns())
    rows: Rows = []
    for journal in cluster.journals(bookie):
        for one in read_journal(journal.read_bytes()):
            row: dict[str, object] = {"node": bookie, "ledger": one.ledger}
            if one.entry is not None:
                row |= {"entry": one.entry, "confirmed": one.confirmed, "value": one.payload.decode()}
                if times := taken[one.ledger, one.entry]:
                    row["time_ns"] = times.popleft()
            rows.append(row)
    return rows


def _taken(log: str, ahead_ns: int) -> dict[tuple[int, int], deque[int]]:
    """When a bookie took each entry of each ledger, in order: it may take one twice."""
    found: dict[tuple[int, int], deque[int]] = defaultdict(deque)
    for time_ms, entry, ledger in _TAKING.findall(log):
        found[int(ledger), int(entry)].append(int(time_ms) * _MILLISECOND_NS - ahead_ns)
    return found


def _ahead_ns() -> int:
    """By how much the time of day is ahead of the recording's clock; servers tell the former, in milliseconds."""
    return time.time_ns() - time.monotonic_ns()


def metadata_rows(cluster: BookKeeperCluster) -> Rows:
    """Every change of a ledger's metadata, and of who is registered, on the clock of the recording."""
    ahead_ns = _ahead_ns()
    changes = [one for file in cluster.transactions() for one in read_transactions(file.read_bytes())]
    return [row for one in changes for row in _row(cluster, one, one.time_ms * _MILLISECOND_NS - ahead_ns)]


def _row(cluster: BookKeeperCluster, change: Changed, time_ns: int) -> Iterator[dict[str, object]]:
    head: dict[str, object] = {"time_ns": time_ns, "session": f"{change.session:#x}"}
    if found := _REGISTRATION.fullmatch(change.path):
        bookie = {"node": cluster.names.index(found[1]), "bookie": found[1]}
        yield {**head, **bookie, "registered": change.data is not None}
    elif found := _LEDGER.fullmatch(change.path):
        said = None if change.data is None else b64encode(change.data).decode()
        yield {**head, "ledger": int("".join(found.groups())), "version": change.version, "data": said}


def change_rows(cluster: BookKeeperCluster) -> Rows:
    """What each writer knew to be confirmed when it changed an ensemble, as its client noted it; without a time."""
    rows: Rows = []
    confirmed: dict[int, int] = {}
    for line in cluster.clients_log().splitlines():
        if found := _ACKNOWLEDGED.search(line):
            confirmed[int(found[2])] = int(found[1])
        elif found := _CHANGING.search(line):
            ledger = int(found[1])
            change = {"kind": "change", "ledger": ledger, "entry": int(found[2])}
            rows.append({**change, "confirmed": confirmed.get(ledger, NO_ENTRY)})
    return rows


def listed_rows(cluster: BookKeeperCluster, metadata: Rows) -> Rows:
    """What each bookie says that it has of each ledger, as it is sent."""
    client = cluster.client()
    latest = {int(str(row["ledger"])): row["data"] for row in metadata if "ledger" in row}
    known = {ledger: read(b64decode(str(data))) for ledger, data in latest.items() if data is not None}
    return [
        _listed(cluster, client, ledger, bookie)
        for ledger, said in known.items()
        for bookie in dict.fromkeys(bookie for segment in said.segments for bookie in segment.ensemble)
    ]


def _listed(cluster: BookKeeperCluster, client: Client, ledger: int, bookie: str) -> dict[str, object]:
    answer = client.listed(ledger, bookie)
    return {
        "time_ns": time.monotonic_ns(),
        "ledger": ledger,
        "node": cluster.names.index(bookie),
        "data": None if answer is None else b64encode(answer).decode(),
    }


def audited_rows(cluster: BookKeeperCluster) -> Rows:
    """What BookKeeper's own checker finds wrong: each ledger that it reports, by its worst entry."""
    return [{"ledger": ledger, "category": found.name} for ledger, found in found_as_shipped(cluster.audit().log)]


def found_as_shipped(log: str) -> Iterator[tuple[int, Durability]]:
    """The ledgers that BookKeeper's own checker reports in a log, and how it judges each."""
    for line in log.splitlines():
        for sentence, found in _FINDINGS.items():
            if match := re.search(sentence + r" \{.*ledgerId=(\d+)", line):
                yield int(match[1]), found
