"""Cases of quorums: which answers suffice, which nodes may hold a record, and who sends one."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, Final

from conformance.vectors import fmajority
from conformance.vectors.published.drawing import cluster, fields_of, some
from reference_impl.log.delivery.copyset_index import read
from reference_impl.log.delivery.shipping import Stored, Stream
from spec.log.quorum import Authority

STATUSES: Final = ("UNDERREPLICATION", "UNAVAILABLE", "AUTHORITATIVE_EMPTY")
NODES_MAX: Final = 9


def f_majorities(rng: Random) -> Iterator[dict[str, Any]]:
    """Whether those who answered are an f-majority, and how far they may be trusted."""
    while True:
        case = {"op": "isFmajority", **cluster(rng, 1, NODES_MAX)}
        names = list(case["shards"])
        case["authoritative_status"] = {name: rng.choice(STATUSES) for name in some(rng, names, 0.2)}
        case["tagged_shards"] = some(rng, names, rng.choice((0.3, 0.6, 0.8, 1.0)))
        found = fmajority.seen(fields_of(case))
        sign = "negative" if found is Authority.NONE else "positive"
        yield {**case, "expected": getattr(found, "value", found), "sign": sign, "rule": "spec.log.quorum.authority"}


def copysets(rng: Random) -> Iterator[dict[str, Any]]:
    """Whether these nodes may hold a record."""
    while True:
        case = {"op": "canReplicate", "authoritative_status": {}, **cluster(rng, 1, NODES_MAX)}
        case["tagged_shards"] = some(rng, list(case["shards"]), rng.choice((0.3, 0.5, 0.8)))
        found = fmajority.seen(fields_of(case))
        rule = "spec.log.replication.can_replicate"
        yield {**case, "expected": found, "sign": "positive" if found else "negative", "rule": rule}


def filters(rng: Random) -> Iterator[dict[str, Any]]:
    """Which of its records a storage node sends to a reader that takes some nodes to be down."""
    while True:
        nodes = range(rng.randint(2, 6))
        me, copies = rng.choice(nodes), rng.randint(1, len(nodes))
        down = sorted(rng.sample(nodes, rng.randint(0, len(nodes) - 1)))
        replication = rng.choice((0, copies))
        sets = [rng.sample(nodes, min(len(nodes), copies + rng.randint(0, 1))) for _ in range(rng.randint(1, 5))]
        records = [Stored(lsn, tuple(members)) for lsn, members in enumerate(sets, start=1)]
        stream = Stream(me, known_down=frozenset(down), replication=replication)
        shipped = list(read(stream, records).shipped)
        yield {
            "my_node": me,
            "known_down": down,
            "copyset_reordering": "NONE",
            "scd_replication": replication,
            "records": [{"lsn": record.lsn, "copyset": list(record.copyset)} for record in records],
            "expected_shipped_lsns": shipped,
            "sign": "positive" if shipped else "negative",
            "rule": "reference_impl.log.delivery.shipping",
        }
