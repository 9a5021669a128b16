"""Cases of one epoch: what shards told of it, who may be written, and what the recovery decides.

LogDevice, common/test/EpochRecoveryTest.cpp; others are derived from the code's rules. Where the code contradicts the
promise that a finished recovery is final, a case says what follows from each: ``expected_by_code_rules`` is held
against LogDevice's order of steps, ``expected_by_immutability`` against the order that keeps the promise.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from conformance.vectors.recovery_cases.cluster import Names, esn_of, held_of, readable
from conformance.vectors.recovery_cases.fields import Fields
from conformance.vectors.recovery_cases.findings import Findings
from reference_impl.log.lsn import ESN_MAX
from reference_impl.log.repair.digest import Arrival, digest_of
from reference_impl.log.repair.mutation import Mutation
from reference_impl.log.repair.plan import BridgesFrom, Plan, Round, plan_of
from spec.log.quorum import Authority

ESNS_MAX: Final = 1 << 16
"""A case whose plan would have more mutations is no case of a test."""

VARIANTS: Final = {
    "expected": BridgesFrom.MUTATION_SET,
    "expected_by_code_rules": BridgesFrom.MUTATION_SET,
    "expected_by_immutability": BridgesFrom.WHOLE_DIGEST,
}
"""What a case expects, and of which variant: LogDevice's tests follow LogDevice's code."""

JUDGED: Final = ("last_known_good", "bridge_esn", "tail_esn", "tail_is_gap", "tail_timestamp", "mutations", "result")
UNJUDGED: Final = ("tail_offset_added", "note")
"""What depends on more than a case tells: the epoch sizes that shards reported."""

RECORDS: Final = ("NORMAL", "MUTATED", "WRITE_STREAM")


def epoch_findings(fields: Fields) -> Findings:
    """What a case of one epoch expects otherwise, in any variant that it names."""
    named = {name: variant for name, variant in VARIANTS.items() if isinstance(fields.raw(name), Mapping)}
    if not named:
        raise fields.refuse("a case lacks a part", f"nothing is expected: one of {', '.join(VARIANTS)} must be there")
    found = Findings()
    for name, variant in named.items():
        _compare(fields.below(name), fields, variant, found)
    return found


def plan_in(fields: Fields, variant: BridgesFrom) -> tuple[Names, int, Plan]:
    """The shards of a case, its last known good ESN, and what the recovery decides."""
    names = Names.of(fields)
    arrivals = _arrivals(fields, names)
    sealed = fields.each("sealed", [])
    good = max((one.number("lng", most=ESN_MAX) for one in sealed), default=0)
    good = fields.number("last_known_good", good, most=ESN_MAX)
    if max((esn for _, esn, _ in arrivals), default=0) - good > ESNS_MAX:
        raise fields.refuse("the epoch is too long", f"more than {ESNS_MAX} ESNs above the last known good one")
    chosen = Round(
        names.nodeset(names.everyone(), fields),
        fields.number("seal_epoch"),
        good,
        names.numbers(fields.names("mutation_set", fields.below("digest")), fields),
        _authority(fields),
        fields.flag("bridge_for_empty_epoch", default=True),
        variant,
        knows_tail=any("tail_record" in one for one in sealed),
    )
    return names, good, plan_of(digest_of(arrivals), chosen)


def _arrivals(fields: Fields, names: Names) -> list[Arrival]:
    """All copies, shard after shard, in the order in which the shards answered."""
    told = fields.below("digest")
    order = fields.names("digest_arrival_order", list(told))
    return [
        (names.number(name, fields), esn_of(record), held_of(record))
        for name in order
        for record in readable(told.each(name, []))
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
    names, good, plan = plan_in(fields, variant)
    found.unknown("epoch", expected, (*JUDGED, *UNJUDGED))
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
        compare_mutations(expected.below("mutations"), plan, names, found)


def compare_mutations(expected: Fields, plan: Plan, names: Names, found: Findings) -> None:
    """Every mutation of a plan must be expected, and every one that is expected be there; "none" is for no mutation."""
    seen = {mutation.esn: mutation for mutation in plan.mutations}
    wanted = {esn: said for esn, said in expected.numbered().items() if not str(said).startswith("none")}
    found.compare("mutated ESNs", sorted(wanted), sorted(seen))
    for esn, said in wanted.items():
        if esn in seen:
            _compare_mutation(Fields(said, expected.where), seen[esn], names, found)


def _compare_mutation(expected: Fields, seen: Mutation, names: Names, found: Findings) -> None:
    """Copies that this same recovery stored before are amended again, and some sources call only the others so."""
    about = f"esn {seen.esn}"
    found.unknown(about, expected, ("kind", "amend", "conflict", "overwrite", "required"))
    if "kind" in expected:
        kind = expected.text("kind")
        found.compare(f"{about} kind", "RECORD" if kind in RECORDS else kind, seen.becomes.value)
    sets = {"conflict": seen.conflict, "overwrite": seen.conflict, "required": seen.required}
    if "amend" in expected:
        wanted = names.numbers(expected.names("amend"), expected)
        sets["amend"] = wanted if seen.amend <= wanted <= seen.amend | seen.stored else seen.amend
    for name, shards in sets.items():
        if name in expected:
            wanted = names.numbers(expected.names(name), expected)
            found.compare(f"{about} {name}", names.told(wanted), names.told(shards))
