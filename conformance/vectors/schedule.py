"""Cases of a ledger's distribution schedule: write sets, coverage, stripes, acknowledgements and orders of reading.

``input`` has the ledger's sizes and the question, ``expected`` the answer, or an ``error``. A name that ends in
``_shipped`` follows the variant that was released where it is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from conformance.vectors.coverage_table import table_differences
from conformance.vectors.differences import answered
from conformance.vectors.fields import Fields
from spec.ledger import ack_set
from spec.ledger.ack_set import AckSet
from spec.ledger.coverage import write_set
from spec.ledger.schedule import (
    Quorums,
    ensemble_set,
    is_covered,
    moved,
    shipped_member,
    striped_to,
)

ENSEMBLE_MAX: Final = 1000
RANGE_MAX: Final = 1_000_000
ANSWERS: Final = frozenset({0, -7, -13})
"""What says whether a member has an entry: OK, NoSuchLedger, NoSuchEntry. BookKeeper, client/BKException.java."""

OPERATION: Final = re.compile(r"([cfr])([0-9]{1,4})")
"""An operation on an ack set: complete, fail or remove, and the member."""

Answers = Mapping[str, Any]


def seen(case: Fields) -> tuple[str, ...] | None:
    """How a case differs from what the schedule says; None where its table is of an unknown form.

    Raises:
        DamagedVectors: the case is no case of a distribution schedule.
    """
    if case.raw("kind") == "coverage_table":
        return table_differences(case.raw("expected"))
    question, expected = case.choice("kind", QUESTIONS), case.below("expected")
    try:
        answers = question(case.below("input"))
    except ValueError as refusal:
        return () if "error" in expected else (f"expected {', '.join(expected)}, seen refusal: {refusal}",)
    if "error" in expected:
        return (f"expected {expected.raw('error')}, seen {dict(answers)}",)
    return answered(expected, answers)


def _write_set(given: Fields) -> Answers:
    quorums, entry = _quorums(given), given.number("entry_id", least=-RANGE_MAX)
    return {
        "write_set": list(write_set(entry, quorums.ensemble, quorums.write)),
        "ensemble_set": list(ensemble_set(entry, quorums)),
        "write_set_via_index_method_shipped": [shipped_member(entry, step, quorums) for step in range(quorums.write)],
    }


def _coverage(given: Fields) -> Answers:
    quorums = _quorums(given)
    codes = given.members("return_codes", quorums.ensemble)
    heard = (type(codes.raw(place)) is int and codes.raw(place) in ANSWERS for place in codes)
    return {"covered": is_covered(frozenset(member for member, has in enumerate(heard) if has), quorums)}


def _striped(given: Fields) -> Answers:
    quorums = _quorums(given)
    names = ("bookie_index", "start_entry", "last_entry")
    member, first, last = (given.number(name, least=-RANGE_MAX) for name in names)
    most = RANGE_MAX // quorums.ensemble
    if last - first > most:
        raise given.refuse("the range is too long", f"{first} to {last}", f"at most {most} entries")
    return {"entries": list(striped_to(member, first, last, quorums))}


def _acks(given: Fields) -> Answers:
    quorums, acks, returns = _quorums(given), AckSet(), []
    for letter, member in given.every("ops", _operation):
        acks = {"c": ack_set.complete, "f": ack_set.fail, "r": ack_set.remove}[letter](acks, member)
        returns.append(acks.is_hopeless(quorums) if letter == "f" else acks.is_acknowledged(quorums))
    return {"returns": returns, "failed_bookies": sorted(acks.failed)}


def _moved(given: Fields) -> Answers:
    place, to = (given.number(name, least=-ENSEMBLE_MAX, most=ENSEMBLE_MAX) for name in ("from", "to"))
    return {"write_set": list(moved(given.every("write_set", Fields.number), place, to))}


QUESTIONS: Final[dict[str, Callable[[Fields], Answers]]] = {
    "write_set": _write_set,
    "coverage": _coverage,
    "striped": _striped,
    "ack_set": _acks,
    "move_and_shift": _moved,
}
"""What a case may ask: BookKeeper, client/DistributionSchedule.java."""


def _quorums(given: Fields) -> Quorums:
    names = ("ensemble_size", "write_quorum", "ack_quorum")
    quorums = Quorums(*(given.number(name, least=-ENSEMBLE_MAX, most=ENSEMBLE_MAX) for name in names))
    quorums.check()
    return quorums


def _operation(given: Fields, name: str) -> tuple[str, int]:
    found = OPERATION.fullmatch(given.text(name))
    if found is None:
        raise given.refuse_part("no such operation", name, "c, f or r and a member, as c2")
    return found[1], int(found[2])
