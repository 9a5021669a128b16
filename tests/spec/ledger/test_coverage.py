"""Coverage and write sets as BookKeeper has them: client/RoundRobinDistributionSchedule.java."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from spec.language.handles import Int, Set
from spec.language.meaning import Evaluator
from spec.language.parameters import Parameters
from spec.language.terms import Col, Lit
from spec.ledger.coverage import (
    has_enough_of_the_ensemble,
    is_ack_quorum,
    is_covered,
    is_covered_throughout,
    write_set,
)
from spec.proof.theorems import subsets

ANSWERED = Set(Col("answered", "set"))
ANSWERS = {0, -7, -13}
"""Return codes that say what the member has: the entry, no such ledger, no such entry."""


def covered(answered: frozenset[int], ensemble_size: int, write_quorum: int, ack_quorum: int) -> bool:
    """Whether every write set is covered."""
    formula = is_covered_throughout(ANSWERED, ensemble_size, write_quorum, Int(Lit(ack_quorum)))
    said = Evaluator({"answered": answered}, Parameters(ensemble_size), {}).value(formula.term)
    assert isinstance(said, bool)
    return said


def test_entries_go_round() -> None:
    """Schedule: entry e goes to the members e, e + 1, ... of the ensemble, modulo its size."""
    assert [write_set(entry, 3, 2) for entry in range(4)] == [(0, 1), (1, 2), (2, 0), (0, 1)]


@pytest.mark.parametrize(("entry", "ensemble_size", "write_quorum"), [(0, 3, 4), (0, 3, 0), (0, 0, 0), (-1, 3, 2)])
def test_a_write_quorum_fits_its_ensemble(entry: int, ensemble_size: int, write_quorum: int) -> None:
    """LedgerMetadataBuilder.java refuses others: E >= W >= A."""
    with pytest.raises(ValueError, match="no write set for entry"):
        write_set(entry, ensemble_size, write_quorum)


def test_one_write_set() -> None:
    """AckSet and QuorumCoverageSet: A successes acknowledge; fewer than A unknown members cover."""
    three = Parameters(4)
    values: dict[str, Any] = {"write_set": frozenset({0, 1, 2}), "ack_quorum": 2}
    assert is_ack_quorum.value(three, values | {"stored": frozenset({0, 2})}) is True
    assert is_ack_quorum.value(three, values | {"stored": frozenset({0, 3})}) is False
    assert is_covered.value(three, values | {"answered": frozenset({0, 2})}) is True
    assert is_covered.value(three, values | {"answered": frozenset({0, 3})}) is False


def test_the_whole_ensemble() -> None:
    """The TLA+ specification counts (E - A) + 1 of the ensemble."""
    values: dict[str, Any] = {"ensemble": frozenset(range(4)), "ack_quorum": 2}
    assert has_enough_of_the_ensemble.value(Parameters(4), values | {"answered": frozenset({0, 1, 3})}) is True
    assert has_enough_of_the_ensemble.value(Parameters(4), values | {"answered": frozenset({1, 3})}) is False


def test_when_the_two_rules_of_coverage_differ() -> None:
    """They differ just where A silent members fit between write sets: E - W is ceil(E / A) or more."""
    sizes = [(e, w, a) for e, w, a in product(range(1, 7), repeat=3) if a <= w <= e]
    differ = {
        (e, w, a)
        for e, w, a in sizes
        if any(covered(heard, e, w, a) != (len(heard) >= e - a + 1) for heard in subsets(e))
    }
    assert differ == {(e, w, a) for e, w, a in sizes if e - w >= -(-e // a)}
    assert min(differ) == (4, 2, 2)
    assert all(e > w > 1 < a for e, w, a in differ)


def test_vectors_of_coverage(shared: Path) -> None:
    """BookKeeper's own tests, and what follows from its code, as data."""
    vectors = json.loads((shared / "vectors/bookkeeper/distribution_schedule.json").read_text())["vectors"]
    judged = 0
    for vector in vectors:
        given, expected = vector["input"], vector["expected"]
        if vector["kind"] == "coverage" and "covered" in expected:
            heard = frozenset(member for member, code in enumerate(given["return_codes"]) if code in ANSWERS)
            sizes = (given["ensemble_size"], given["write_quorum"], given["ack_quorum"])
            assert covered(heard, *sizes) is expected["covered"], vector["id"]
        elif vector["kind"] == "write_set":
            found = write_set(given["entry_id"], given["ensemble_size"], given["write_quorum"])
            assert list(found) == expected["write_set"], vector["id"]
        else:
            continue
        judged += 1
    assert judged >= 20
