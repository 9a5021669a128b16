"""The findings of an audit, kept in a folder, so that a later audit goes on from there.

``findings.json`` says of which cluster they are, of when, and who was registered; it is written last, so that findings
without it are not whole. Tables are Parquet, each a folder of files: ``violations``, and ``sound``, the ledgers with
which nothing is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from conformance.trace.errors import Inconsistent, MissingField, NotATrace, NotWritable, UnknownVersion
from conformance.trace.files import atomic, placed, readable
from conformance.trace.json_text import decode, encode
from conformance.trace.typed import mapping, number, required, sequence, text
from spark_checks.audit.cluster import Cluster
from spark_checks.audit.earlier import SOUND, Earlier
from spark_checks.audit.findings import SCHEMA
from spark_checks.audit.tables import check_order, groups_of, rows_of

ABOUT: Final = "findings.json"
VERSION_KEY: Final = "quorate_findings"
VERSION: Final = 1
TABLES: Final = {"violations": SCHEMA, "sound": SOUND}

ADVICE: Final = "the folder that an earlier `quorate audit` wrote by --output"


@dataclass(frozen=True)
class About:
    """What ``findings.json`` says.

    Attributes:
        cluster: the identity of the cluster.
        taken_ms: when it was asked.
        registered: the bookies that were registered then.
    """

    cluster: str
    taken_ms: int
    registered: frozenset[str]


def prepare(folder: Path) -> None:
    """Make a new folder for findings.

    Raises:
        NotWritable: it is there already, or cannot be made.
    """
    try:
        for name in TABLES:
            (folder / name).mkdir(parents=True)
    except OSError as error:
        raise NotWritable("cannot be written", error.strerror or str(error), "another folder", str(folder)) from None


def write_part(folder: Path, part: int, **tables: Any) -> None:
    """Write rows of tables, as a file of each."""
    for name, rows in tables.items():
        if len(rows):
            with atomic(folder / name / f"part-{part:06}.parquet") as unfinished:
                pq.write_table(rows, unfinished)


def finish(folder: Path, cluster: Cluster) -> None:
    """Say that the findings are whole, and what they are of."""
    registered = sorted(one.name for one in cluster.bookies if one.registered)
    said = {VERSION_KEY: VERSION, "cluster": cluster.identity, "taken_ms": cluster.taken_ms, "registered": registered}
    with atomic(folder / ABOUT) as unfinished:
        unfinished.write_bytes(encode(said))


def earlier_of(folder: Path, cluster: Cluster, older_than_ms: int | None = None) -> Earlier:
    """What an earlier audit found sound, as far as it counts for a cluster as it is now.

    Args:
        folder: its findings.
        cluster: the cluster now.
        older_than_ms: what was asked longer ago does not count.

    Raises:
        TraceError: one of its kinds, for whatever is wrong, or where they are of another cluster.
    """
    about = _about(folder)
    with placed(folder):
        _check_same(about, cluster)
    rows = pa.concat_tables([SOUND.empty_table(), *(rows_of(one, SOUND) for one in groups_of(folder, "sound", SOUND))])
    ledger, version, asked_ms = (rows[name].to_numpy() for name in SOUND.names)
    with placed(folder / "sound"):
        check_order([ledger], "ledger")
        if len(asked_ms) and asked_ms.max() > about.taken_ms:
            why = f"the findings are of {about.taken_ms} ms, and nobody was asked after that"
            raise Inconsistent(f"asked at {asked_ms.max()} ms", why, ADVICE)
    registered = frozenset(one.name for one in cluster.bookies if one.registered)
    oldest_ms = 0 if older_than_ms is None else cluster.taken_ms - older_than_ms
    return Earlier(ledger, version, asked_ms, about.registered & registered, oldest_ms)


def _check_same(about: About, cluster: Cluster) -> None:
    """Refuse findings that are not of this cluster, or of a later time."""
    if not cluster.identity:
        why = "only findings of the same cluster say anything about a ledger"
        raise MissingField("the cluster has no identity", why, "write `cluster` into audit.json, or leave out --since")
    if about.cluster != cluster.identity:
        why = f"they are of {about.cluster or 'one without an identity'}, this is {cluster.identity}"
        raise Inconsistent("findings of another cluster", why, ADVICE)
    if about.taken_ms > cluster.taken_ms:
        why = f"they are of {about.taken_ms} ms, the cluster was asked at {cluster.taken_ms} ms"
        raise Inconsistent("findings of a later time", why, "findings of before")


def _about(folder: Path) -> About:
    """What ``findings.json`` says."""
    if not (folder / ABOUT).is_file():
        raise NotATrace("no findings", f"there is no {ABOUT} in it", ADVICE).at(folder)
    with placed(folder / ABOUT), readable():
        try:
            said = mapping("findings", decode((folder / ABOUT).read_text(encoding="utf-8")))
        except UnicodeDecodeError as error:
            raise NotATrace("no text", error.reason, ADVICE) from None
        version = number(VERSION_KEY, required(said, VERSION_KEY, "audit", ADVICE))
        if version != VERSION:
            raise UnknownVersion(f"version {version}", f"this reader knows version {VERSION}", "a newer quorate")
        registered = sequence("registered", required(said, "registered", "audit", ADVICE))
        return About(
            text("cluster", required(said, "cluster", "audit", ADVICE)),
            number("taken_ms", required(said, "taken_ms", "audit", ADVICE), 0),
            frozenset(text("a bookie", name) for name in registered),
        )
