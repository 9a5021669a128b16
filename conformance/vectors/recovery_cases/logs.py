"""Cases of a whole log: what shards held, who was absent, and what is there after recovery and purging.

LogDevice, test/RecoveryTest.cpp.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from conformance.vectors.fields import Fields
from conformance.vectors.recovery_cases.copies import esn_of, held_of, readable
from conformance.vectors.recovery_cases.epochs import ESNS_MAX, compare_mutations
from conformance.vectors.recovery_cases.findings import Findings
from conformance.vectors.recovery_cases.readers import compare_reader
from conformance.vectors.shards import Shards, replication_of
from reference_impl.log.lsn import ESN_MAX, lsn_of
from reference_impl.log.repair.log_recovery import Circumstances, Recovered, digest_now, recover
from reference_impl.log.repair.nodeset import Nodeset
from reference_impl.log.repair.plan import BridgesFrom
from reference_impl.log.repair.stores import Store, Stores

EPOCH_MAX: Final = (1 << 32) - 2


def log_findings(fields: Fields, variant: BridgesFrom = BridgesFrom.MUTATION_SET) -> Findings:
    """What a case of a whole log expects otherwise; LogDevice's tests follow LogDevice's code."""
    found, told = Findings(), fields.every("epochs", Fields.below)
    shards = _shards(fields, told)
    epochs = [_epoch(one, shards, fields) for one in told]
    if [epoch for epoch, _ in epochs] != sorted({epoch for epoch, _ in epochs}):
        why = "its epochs are not in ascending order"
        raise fields.refuse("the case contradicts itself", why, "list each epoch once, the oldest first")
    met = Circumstances(
        fields.number("seal_epoch"),
        shards.numbers(fields, "absent_during_recovery", ()),
        shards.numbers(fields, "read_only", ()),
        shards.statuses(fields),
        fields.flag("bridge_for_empty_epoch", default=True),
        variant,
    )
    stores, done = recover(_stores(fields, shards, dict(epochs)), epochs, met)
    recovered = {one.epoch: one for one in done}
    for one, (epoch, nodeset) in zip(told, epochs, strict=True):
        _compare_epoch(one, recovered.get(epoch), shards, found)
        if "expected_final" in one:
            good = recovered[epoch].chosen.known_good if epoch in recovered else 0
            _compare_final(one.below("expected_final"), epoch, good, nodeset, stores, found)
    if "reader" in fields:
        compare_reader(fields.below("reader"), stores, [epoch for epoch, _ in epochs], met.seal, found)
    return found


def _shards(fields: Fields, epochs: Iterable[Fields]) -> Shards:
    """All shards that a case names, and where they are if it says so."""
    places = fields.below("shards", {})
    nodesets = [name for one in epochs for name in one.every("nodeset", Fields.text)]
    return Shards([*places, *fields.below("records_by_node"), *nodesets], places)


def _epoch(epoch: Fields, shards: Shards, fields: Fields) -> tuple[int, Nodeset]:
    replication = replication_of(epoch if "replication" in epoch else fields)
    nodeset = Nodeset.of(shards.numbers(epoch, "nodeset"), replication, shards.parameters)
    return epoch.number("epoch", most=EPOCH_MAX), nodeset


def _stores(fields: Fields, shards: Shards, epochs: dict[int, Nodeset]) -> Stores:
    """What every shard holds, and what it knows of good records: from its copies, or told by a release."""
    stores = {number: Store() for number in shards.everyone()}
    told, released = fields.below("records_by_node"), fields.below("per_epoch_released", {})
    for name in {*told, *released}:
        good = released.below(name, {})
        known_good = {epoch: good.number(esn, most=ESN_MAX) for epoch, esn in good.numbered(EPOCH_MAX).items()}
        copies = {}
        for record in readable(told, name, ()):
            epoch, esn = record.number("epoch", most=EPOCH_MAX), esn_of(record)
            copies[lsn_of(epoch, esn)] = held_of(record)
            known_good[epoch] = max(known_good.get(epoch, 0), record.number("last_known_good", 0, most=ESN_MAX))
        stores[shards.named(name, told)] = Store(copies, known_good)
    for epoch in epochs:
        _refuse_long(stores, epoch, fields)
    return stores


def _refuse_long(stores: Stores, epoch: int, fields: Fields) -> None:
    good = max(store.known_good.get(epoch, 0) for store in stores.values())
    if max((esn for store in stores.values() for esn in store.esns(epoch)), default=0) - good > ESNS_MAX:
        why = f"records of epoch {epoch} go beyond the last known good ESN {good} by far"
        raise fields.refuse("the epoch is too long", why, f"at most {ESNS_MAX} ESNs above it")


def _compare_epoch(expected: Fields, seen: Recovered | None, shards: Shards, found: Findings) -> None:
    """What was decided, and the tail that was handed on."""
    about = f"epoch {expected.number('epoch')}"
    if seen is None:
        found.add(f"{about}: expected to be recovered, seen waiting for shards")
        return
    if "expected_actions_from_comment" in expected and seen.plan is not None:
        compare_mutations(expected.below("expected_actions_from_comment"), seen.plan, shards, found)
    if expected.has("expected_tail"):
        tail = None if seen.tail is None else list(seen.tail)
        found.compare(f"{about} tail", expected.raw("expected_tail"), tail)


def _compare_final(
    expected: Fields, epoch: int, known_good: int, nodeset: Nodeset, stores: Stores, found: Findings
) -> None:
    """What all shards of the nodeset together hold of an epoch in the end, above an ESN."""
    about, above = f"epoch {epoch}", expected.number("checked_above_esn", known_good)
    digest = {esn: entry for esn, entry in digest_now(stores, epoch, nodeset.shards).items() if esn > above}
    seen = {
        "records": [esn for esn, entry in digest.items() if not entry.target.is_hole],
        "plugs": [esn for esn, entry in digest.items() if entry.target.is_hole and not entry.target.is_bridge],
        "bridges": [esn for esn, entry in digest.items() if entry.target.is_bridge],
    }
    for name, esns in seen.items():
        if name in expected:
            found.compare(f"{about} {name}", sorted(expected.every(name, Fields.number)), esns)
    if "fully_replicated" in expected:
        whole = all(
            nodeset.can_replicate(
                frozenset(shard for shard, held in entry.copies.items() if held.is_hole == entry.target.is_hole)
            )
            for entry in digest.values()
        )
        found.compare(f"{about} fully_replicated", expected.flag("fully_replicated"), whole)
