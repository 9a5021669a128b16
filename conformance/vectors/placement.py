"""Cases of placement: how far an ensemble adheres to a policy, a ledger made of such, and how long marks stand.

``expected`` is as shipped, where ``writable_bookies`` alone have a rack and regions do not matter; with an
``expected_shipped`` beside it, it is as it should be. A ledger has its ``segments`` by the ids of other cases; those
that its file does not have may be anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Final

from conformance.vectors.cases import VectorsFile
from conformance.vectors.differences import differences
from conformance.vectors.fields import Fields
from spec.ledger.marks import SECOND_MS, Mark, is_too_old_as_shipped
from spec.ledger.metadata import State
from spec.ledger.placement.adherence import Adherence, Policy, anywhere, worst
from spec.ledger.placement.racks import RackAware, rack_aware_as_shipped
from spec.ledger.placement.regions import RegionAware, region_aware_as_shipped
from spec.ledger.placement.zones import ZoneAware
from spec.ledger.schedule import Quorums

SIZE_MAX: Final = 1000
RACKS, REGIONS, ZONES = 2, 2, {"min": 2, "desired": 3}
"""The usual settings, where a case does not say others: BookKeeper, conf/AbstractConfiguration.java."""

MEANT, SHIPPED = "expected", "expected_shipped"

Runner = Callable[[Fields], tuple[str, ...]]


class OfLedger(StrEnum):
    """What a ledger comes to: BookKeeper, replication/AuditorPlacementPolicyCheckTask.java."""

    ADHERING = "adhering"
    SOFTLY_ADHERING = "softly_adhering"
    NOT_ADHERING = "not_adhering"
    SKIPPED = "skipped"


OF_LEDGER: Final = {
    Adherence.FAIL: OfLedger.NOT_ADHERING,
    Adherence.MEETS_SOFT: OfLedger.SOFTLY_ADHERING,
    Adherence.MEETS_STRICT: OfLedger.ADHERING,
}


def seen(case: Fields) -> tuple[str, ...]:
    """How a case differs from what its policy says.

    Raises:
        DamagedVectors: the case is no case of placement.
    """
    found: tuple[str, ...] = ()
    for name in (MEANT, SHIPPED) if SHIPPED in case else (MEANT,):
        said = _adherence(case, is_shipped=name == SHIPPED or SHIPPED not in case)
        found += differences(case.one_of(name, Adherence).value, said.value, name)
    return found


def seen_among(file: VectorsFile) -> Runner:
    """What looks at ledgers made of a file's ensembles, and at marks."""
    ensembles = {case["id"]: case for case in file.main}

    def seen_other(case: Fields) -> tuple[str, ...]:
        if "marks" in case:
            return _marks(case)
        names = case.every("segments", Fields.text)
        known = [Fields(ensembles[name], f"{file.path}, case {name}") for name in names if name in ensembles]
        possible = list(_possible(case, known, is_complete=len(known) == len(names)))
        said = case.one_of("expected", OfLedger)
        found: tuple[str, ...] = ()
        return found if said in possible else (*found, f"expected {said}, seen {' or '.join(possible)}")

    return seen_other


def _possible(case: Fields, known: list[Fields], *, is_complete: bool) -> Iterator[OfLedger]:
    """What a ledger may come to, given some of its segments."""
    if case.choice("state", State.__members__) is not State.CLOSED:
        yield OfLedger.SKIPPED
        return
    so_far = worst(_adherence(segment, is_shipped=True) for segment in known)
    for adherence, said in OF_LEDGER.items():
        if adherence is so_far or (not is_complete and worst([adherence, so_far]) is adherence):
            yield said


def _marks(case: Fields) -> tuple[str, ...]:
    """How many marks are too old."""
    grace_s = case.number("grace_period_s")
    marks = case.every("marks", Fields.below)
    now_ms = max((_age_ms(mark) or 0 for mark in marks), default=0)
    old = [
        is_too_old_as_shipped(Mark((), None if age is None else now_ms - age), now_ms, grace_s)
        for age in map(_age_ms, marks)
    ]
    return differences(case.number("expected"), sum(old), "over the grace")


def _age_ms(mark: Fields) -> int | None:
    return mark.number("age_s") * SECOND_MS if "age_s" in mark else None


def _adherence(case: Fields, *, is_shipped: bool) -> Adherence:
    meant, shipped = case.choice("policy", POLICIES)
    given = case.below("input")
    ensemble = given.every("ensemble", Fields.text)
    if len(ensemble) > SIZE_MAX:
        raise given.refuse("the ensemble is too large", f"{len(ensemble)} bookies", f"at most {SIZE_MAX}")
    write, ack = (given.number(name, least=1, most=SIZE_MAX) for name in ("write_quorum", "ack_quorum"))
    policy = (shipped if is_shipped else meant)(given)
    return policy(ensemble, Quorums(len(ensemble), write, ack))


def _rack_aware(given: Fields) -> RackAware:
    return RackAware(
        _locations(given),
        given.number("minNumRacksPerWriteQuorum", RACKS),
        given.text("default_rack", ""),
        given.flag("enforceMinNumRacksPerWriteQuorum", default=False),
    )


def _rack_aware_as_shipped(given: Fields) -> RackAware:
    policy = _rack_aware(given)
    writable = given.every("writable_bookies", Fields.text) if "writable_bookies" in given else policy.racks
    return rack_aware_as_shipped(policy, writable)


def _zone_aware(given: Fields) -> ZoneAware:
    least, desired = (given.number(f"{name}NumZonesPerWriteQuorum", usual) for name, usual in ZONES.items())
    return ZoneAware(_locations(given), least, desired, given.text("default_fault_domain", ""))


def _region_aware(given: Fields) -> RegionAware:
    return RegionAware(_locations(given), given.number("minRegionsForDurability", REGIONS))


POLICIES: Final[dict[str, tuple[Callable[[Fields], Policy], Callable[[Fields], Policy]]]] = {
    "default": (lambda _: anywhere, lambda _: anywhere),
    "rackaware": (_rack_aware, _rack_aware_as_shipped),
    "zoneaware": (_zone_aware, _zone_aware),
    "regionaware": (_region_aware, lambda _: region_aware_as_shipped),
}
"""The policies that a case may name, as they should be and as shipped: client/EnsemblePlacementPolicy.java."""


def _locations(given: Fields) -> dict[str, str]:
    named = given.below("network_location")
    return {bookie: named.text(bookie) for bookie in named if bookie in named}
