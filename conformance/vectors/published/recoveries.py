"""Cases of recovery: what nodes told of one epoch, and what has to become of each ESN of it."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from conformance.vectors.published.drawing import fields_of
from conformance.vectors.recovery_cases.epochs import plan_in
from reference_impl.log.repair.plan import BridgesFrom

SEAL = 6


def digests(rng: Random) -> Iterator[dict[str, Any]]:
    """Copies of records, of holes and of what an earlier recovery wrote, on three to five nodes."""
    while True:
        nodes = [f"N{node}" for node in range(rng.randint(3, 5))]
        digest: dict[str, list[dict[str, Any]]] = {name: [] for name in rng.sample(nodes, rng.randint(2, len(nodes)))}
        good = rng.randint(0, 2)
        for esn in range(good + 1, good + rng.randint(1, 5)):
            for held in digest.values():
                if rng.random() < 0.5:  # noqa: PLR2004 - half of the nodes have a copy
                    held.append({"esn": esn, **_copy(rng)})
        case = {
            "level": "epoch_recovery",
            "seal_epoch": SEAL,
            "last_known_good": good,
            "shards": {name: {"node": place} for place, name in enumerate(nodes)},
            "replication": {"NODE": 2},
            "digest": {name: digest[name] for name in sorted(digest)},
        }
        _, _, plan = plan_in(fields_of(case), BridgesFrom.WHOLE_DIGEST)
        outcomes = {str(one.esn): {"kind": one.becomes.value} for one in plan.mutations}
        expected = {"bridge_esn": plan.bridge_esn, "tail_esn": plan.tail_esn, "mutations": outcomes}
        lost = any(one["kind"] == "HOLE" for one in outcomes.values())
        sign = "negative" if lost else "positive"
        yield {**case, "expected": expected, "sign": sign, "rule": "reference_impl.log.repair.plan"}


def _copy(rng: Random) -> dict[str, Any]:
    kind = rng.choice(("NORMAL", "NORMAL", "NORMAL", "MUTATED", "HOLE"))
    return {"kind": kind, "wave_or_seal": rng.randint(1, 2) if kind == "NORMAL" else rng.randint(2, SEAL - 1)}
