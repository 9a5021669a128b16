"""Cases of readers: scripts of what shards send, and what the reader has been given and told after each step."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, Final

from conformance.vectors.differences import told_lsn
from conformance.vectors.published.drawing import fields_of
from conformance.vectors.stream_scripts.doings import DOINGS
from conformance.vectors.stream_scripts.expectations import EXPECTATIONS
from conformance.vectors.stream_scripts.script import begun
from reference_impl.log.lsn import lsn_of

FIRST, LAST, EPOCH = 10, 16, 1
LISTS: Final = {"records": "lsns", "gaps": "gaps"}
"""What is asked after each step, and the part of the step that has the answer."""


def scripts(rng: Random) -> Iterator[dict[str, Any]]:
    """Shards send records and gaps, in the order of each, interleaved; with copies that are missing."""
    while True:
        shards = [f"N{node}" for node in range(rng.randint(2, 4))]
        config = {
            "shards": shards,
            "start_lsn": _lsn(FIRST),
            "until_lsn": "LSN_MAX",
            "replication": {"NODE": 2},
            "buffer_size": 10,
            "flow_control_threshold": 0.5,
            "sequencer_window_size": 1,
            "scd_enabled": False,
            "default_epoch_metadata": True,
        }
        script, steps = begun(fields_of(config)), list[dict[str, Any]]()
        lost = False
        for done in [{"do": "start"}, *_sent(rng, shards)]:
            script = DOINGS[done["do"]](script, fields_of(done))
            steps.append(done)
            for kind, part in LISTS.items():
                script, _, found = EXPECTATIONS[kind](script, fields_of({"expect": kind, part: []}))
                steps += [{"expect": kind, part: found}] if found else []
                lost |= kind == "gaps" and any(gap[0] == "DATALOSS" for gap in found)
        sign = "negative" if lost else "positive"
        yield {"config": config, "steps": steps, "sign": sign, "rule": "reference_impl.log.stream.machine"}


def _sent(rng: Random, shards: list[str]) -> Iterator[dict[str, Any]]:
    """What shards send, each in the order of LSNs: its records, then that it has no more up to the last."""
    numbers = range(FIRST, LAST + 1)
    share = rng.choice((0.7, 1.0))
    kept = [number for number in numbers if rng.random() < share]
    left: dict[str, list[dict[str, Any]]] = {shard: [] for shard in shards}
    for number in kept:
        for shard in rng.sample(shards, rng.choice((1, 2, 2))):
            left[shard].append({"do": "record", "from": shard, "lsn": _lsn(number)})
    for shard, sent in left.items():
        told = max((int(one["lsn"].partition("n")[2]) for one in sent), default=FIRST - 1)
        if told < LAST:
            sent.append({"do": "gap", "from": shard, "lo": _lsn(told + 1), "hi": _lsn(LAST), "reason": "NO_RECORDS"})
    while waiting := [shard for shard, sent in left.items() if sent]:
        yield left[rng.choice(waiting)].pop(0)


def _lsn(number: int) -> str:
    return told_lsn(lsn_of(EPOCH, number))
