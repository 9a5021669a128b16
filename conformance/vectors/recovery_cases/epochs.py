"""Cases of one epoch: what shards told of it, who may be written, and what the recovery decides.

LogDevice, common/test/EpochRecoveryTest.cpp; others are derived from the code's rules. Where the code contradicts the
promise that a finished recovery is final, a case says what follows from each: ``expected_by_code_rules`` is held
against LogDevice's order of steps, ``expected_by_immutability`` against the order that keeps the promise.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from conformance.vectors.fields import Fields
from conformance.vectors.recovery_cases.copies import esn_of, held_of, readable
from conformance.vectors.recovery_cases.findings import Findings
from conformance.vectors.shards import Shards, replication_of
from reference_impl.log.lsn import ESN_MAX
from reference_impl.log.repair.digest import Arrival, digest_of
from reference_impl.log.repair.mutation import Becomes, Mutation
from reference_impl.log.repair.nodeset import Nodeset
from reference_impl.log.repair.plan import BridgesFrom, Plan, Round, plan_of
from spec.log.quorum import Authority

ESNS_MAX: Final = 1 << 12
"""A case whose plan would have more mutations is no case of a test."""

VARIANTS: Final = {
    "expected": BridgesFrom.MUTATION_SET,
    "expected_by_code_rules": BridgesFrom.MUTATION_SET,
    "expected_by_immutability": BridgesFrom.WHOLE_DIGEST,
}
"""What a case expects, and of which variant: LogDevice's tests follow LogDevice's code."""

JUDGED: Final = ("last_known_good", "bridge_esn", "tail_esn", "tail_is_gap", "tail_timestamp", "mutations", "result")
UNJUDGED: Final = ("tail_offset_added",)
"""What depends on more than a case tells: the epoch sizes that shards reported."""

MUTATED: Final = ("kind", "amend", "conflict", "overwrite", "required", "write_stream")
"""What a case may expect of one mutation."""

RECORDS: Final = ("NORMAL", "MUTATED", "WRITE_STREAM")


def epoch_findings(fields: Fields) -> Findings:
    """What a case of one epoch expects otherwise, in any variant that it names."""
    named = {name: variant for name, variant in VARIANTS.items() if isinstance(fields.raw(name), Mapping)}
    if not named:
        raise fields.refuse("a case lacks a part", "nothing is expected", f"one of {', '.join(VARIANTS)}")
    found = Findings()
    for name, variant in named.items():
        _compare(fields.below(name), fields, variant, found)
    return found


def plan_in(fields: Fields, variant: BridgesFrom) -> tuple[Shards, int, Plan]:
    """The shards of a case, its last known good ESN, and what the recovery decides."""
    shards = Shards.of(fields)
    arrivals = _arrivals(fields, shards)
    sealed = fields.every("sealed", Fields.below, ())
    good = max((one.number("lng", most=ESN_MAX) for one in sealed), default=0)
    good = fields.number("last_known_good", good, most=ESN_MAX)
    if max((esn for _, esn, _ in arrivals), default=0) - good > ESNS_MAX:
        why = f"its records go beyond the last known good ESN {good} by far"
        raise fields.refuse("the epoch is too long", why, f"at most {ESNS_MAX} ESNs above it")
    chosen = Round(
        Nodeset.of(shards.everyone(), replication_of(fields), shards.parameters),
        fields.number("seal_epoch"),
        good,
        _mutation_set(fields, shards),
        _authority(fields),
        fields.flag("bridge_for_empty_epoch", default=True),
        variant,
        knows_tail=any("tail_record" in one for one in sealed),
    )
    return shards, good, plan_of(digest_of(arrivals), chosen)


def _mutation_set(fields: Fields, shards: Shards) -> frozenset[int]:
    """The shards that may be written: those that were digested, unless the case says which."""
    if "mutation_set" in fields:
        return shards.numbers(fields, "mutation_set")
    told = fields.below("digest")
    return frozenset(shards.named(name, told) for name in told)


def _arrivals(fields: Fields, shards: Shards) -> list[Arrival]:
    """All copies, shard after shard, in the order in which the shards answered."""
    told = fields.below("digest")
    order = fields.every("digest_arrival_order", Fields.text) if "digest_arrival_order" in fields else tuple(told)
    return [
        (shards.named(name, told), esn_of(record), held_of(record))
        for name in order
        for record in readable(told, name, ())
    ]


def _authority(fields: Fields) -> Authority:
    """How far the digest may be trusted, as the case says."""
    if "fmajority_at_mutation" in fields:
        return fields.one_of("fmajority_at_mutation", Authority)
    is_authoritative = fields.flag("authoritative", default=True)
    if not is_authoritative:
        return Authority.NON_AUTHORITATIVE
    is_complete = fields.flag("complete_digest", default=False)
    return Authority.AUTHORITATIVE_COMPLETE if is_complete else Authority.AUTHORITATIVE_INCOMPLETE


def _compare(expected: Fields, fields: Fields, variant: BridgesFrom, found: Findings) -> None:
    shards, good, plan = plan_in(fields, variant)
    seen = {
        "last_known_good": good,
        "bridge_esn": plan.bridge_esn,
        "tail_esn": plan.tail_esn,
        "tail_is_gap": plan.is_tail_lost,
        "result": "OK",
    }
    for name, value in seen.items():
        if name in expected:
            found.compare(name, expected.raw(name), value)
    if plan.is_tail_lost and "tail_timestamp" in expected:
        found.compare("tail_timestamp", expected.raw("tail_timestamp"), 0)
    if "mutations" in expected:
        compare_mutations(expected.below("mutations"), plan, shards, found)


def compare_mutations(expected: Fields, plan: Plan, shards: Shards, found: Findings) -> None:
    """Every mutation of a plan must be expected, and every one that is expected be there; "none" is for no mutation."""
    seen = {mutation.esn: mutation for mutation in plan.mutations}
    said = expected.numbered(ESN_MAX)
    wanted = {esn: name for esn, name in said.items() if not str(expected.raw(name)).startswith("none")}
    found.compare("mutated ESNs", sorted(wanted), sorted(seen))
    for esn, name in wanted.items():
        if esn in seen:
            _compare_mutation(expected.below(name), seen[esn], shards, found)


def _compare_mutation(expected: Fields, seen: Mutation, shards: Shards, found: Findings) -> None:
    """Copies that this same recovery stored before are amended again, and some sources call only the others so."""
    about = f"esn {seen.esn}"
    if "kind" in expected:
        kind = expected.text("kind")
        found.compare(f"{about} kind", "RECORD" if kind in RECORDS else kind, seen.becomes.value)
    sets = {"conflict": seen.conflict, "overwrite": seen.conflict, "required": seen.required}
    if "amend" in expected:
        wanted = shards.numbers(expected, "amend")
        sets["amend"] = wanted if seen.amend <= wanted <= seen.amend | seen.stored else seen.amend
    for name, members in sets.items():
        if name in expected:
            found.compare(f"{about} {name}", shards.names_of(shards.numbers(expected, name)), shards.names_of(members))
    in_stream = seen.becomes is Becomes.RECORD and seen.target is not None and seen.target.in_stream
    if "write_stream" in expected:
        found.compare(f"{about} write_stream", expected.flag("write_stream"), in_stream)
