"""Cases of a ledger's distribution schedule: write sets, coverage, stripes, acknowledgements and orders of reading.

``input`` has the ledger's sizes and the question, ``expected`` the answer, or an ``error``. A name that ends in
``_shipped`` follows the variant that was released where it is wrong. A row of ``coverage_table`` is five numbers: the
three sizes, how many sets of members cover if all of them answer, and how few members the smallest such set has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from conformance.vectors.cases import Case, part
from conformance.vectors.errors import DamagedVectors
from conformance.vectors.parts import differences, each, whole
from reference_impl.ledger import ack_set
from reference_impl.ledger.ack_set import AckSet
from reference_impl.ledger.schedule import (
    Quorums,
    covering_sets,
    ensemble_set,
    is_covered,
    moved,
    shipped_member,
    striped_to,
)
from spec.ledger.coverage import write_set

ENSEMBLE_MAX: Final = 1000
TABLE_MAX: Final = 10
ROW: Final = 5
RANGE_MAX: Final = 1_000_000
ANSWERS: Final = frozenset({0, -7, -13})
"""What says whether a member has an entry: OK, NoSuchLedger, NoSuchEntry. BookKeeper, client/BKException.java."""

Answers = Mapping[str, Any]


def seen(case: Case, where: str) -> tuple[str, ...] | None:
    """How a case differs from what the schedule says; None where its table is of an unknown form.

    Raises:
        DamagedVectors: the case is no case of a distribution schedule.
    """
    kind, expected = part(case, "kind", str, where), case.get("expected")
    if kind == "coverage_table":
        return _table(expected)
    if kind not in QUESTIONS:
        raise DamagedVectors("no such kind", repr(kind), f"one of {', '.join(QUESTIONS)}", where)
    expected = part(case, "expected", dict, where)
    try:
        answers = QUESTIONS[kind](part(case, "input", dict, where), where)
    except ValueError as refusal:
        return () if "error" in expected else (f"expected {expected}, seen refusal: {refusal}",)
    if "error" in expected:
        return (f"expected {expected['error']}, seen {dict(answers)}",)
    if expected.keys().isdisjoint(answers):
        raise DamagedVectors("nothing is expected", f"of {', '.join(answers)}", "say what is expected", where)
    return tuple(
        clause
        for name, said in answers.items()
        if name in expected
        for clause in differences(expected[name], said, name)
    )


def _write_set(given: Case, where: str) -> Answers:
    quorums, entry = _quorums(given, where), whole(given.get("entry_id"), "entry_id", where)
    return {
        "write_set": list(write_set(entry, quorums.ensemble, quorums.write)),
        "ensemble_set": list(ensemble_set(entry, quorums)),
        "write_set_via_index_method_shipped": [shipped_member(entry, step, quorums) for step in range(quorums.write)],
    }


def _coverage(given: Case, where: str) -> Answers:
    quorums, codes = _quorums(given, where), part(given, "return_codes", list, where)
    if len(codes) != quorums.ensemble:
        raise DamagedVectors("members are missing", f"{len(codes)} return codes", "one for each member", where)
    heard = frozenset(member for member, code in enumerate(codes) if type(code) is int and code in ANSWERS)
    return {"covered": is_covered(heard, quorums)}


def _striped(given: Case, where: str) -> Answers:
    quorums = _quorums(given, where)
    member, first, last = (
        whole(given.get(name), name, where, -RANGE_MAX) for name in ("bookie_index", "start_entry", "last_entry")
    )
    if last - first > RANGE_MAX:
        raise DamagedVectors("the range is too long", f"{first} to {last}", f"at most {RANGE_MAX} entries", where)
    return {"entries": list(striped_to(member, first, last, quorums))}


def _acks(given: Case, where: str) -> Answers:
    quorums, acks, returns = _quorums(given, where), AckSet(), []
    for operation in each(given, "ops", where, _operation):
        letter, member = operation
        acks = {"c": ack_set.complete, "f": ack_set.fail, "r": ack_set.remove}[letter](acks, member)
        returns.append(acks.is_hopeless(quorums) if letter == "f" else acks.is_acknowledged(quorums))
    return {"returns": returns, "failed_bookies": sorted(acks.failed)}


def _moved(given: Case, where: str) -> Answers:
    order = each(given, "write_set", where, whole)
    place, to = (whole(given.get(name), name, where, -ENSEMBLE_MAX, ENSEMBLE_MAX) for name in ("from", "to"))
    return {"write_set": list(moved(order, place, to))}


QUESTIONS: Final[dict[str, Callable[[Case, str], Answers]]] = {
    "write_set": _write_set,
    "coverage": _coverage,
    "striped": _striped,
    "ack_set": _acks,
    "move_and_shift": _moved,
}
"""What a case may ask: BookKeeper, client/DistributionSchedule.java."""


def _quorums(given: Case, where: str) -> Quorums:
    names = ("ensemble_size", "write_quorum", "ack_quorum")
    quorums = Quorums(*(whole(given.get(name), name, where, 0, ENSEMBLE_MAX) for name in names))
    quorums.check()
    return quorums


def _operation(value: Any, name: str, where: str) -> tuple[str, int]:
    if not isinstance(value, str) or value[:1] not in {"c", "f", "r"} or not value[1:].isdecimal():
        raise DamagedVectors("no such operation", f"{name} is {value!r}", "c, f or r and a member, as c2", where)
    return value[0], whole(int(value[1:6]), name, where, 0, ENSEMBLE_MAX)


def _table(expected: Any) -> tuple[str, ...] | None:
    """How each row of a table of coverage differs; None where the rows are of another form."""
    rows = (
        next((value for value in expected.values() if isinstance(value, list)), None)
        if _is_case(expected)
        else expected
    )
    numbers = [_row(row) for row in rows] if isinstance(rows, list) else []
    if not numbers or any(row is None for row in numbers):
        return None
    found: tuple[str, ...] = ()
    for row in filter(None, numbers):
        quorums = Quorums(*sorted(row[:3], reverse=True))
        found += differences(row[3:], covering_sets(quorums), f"E={quorums.ensemble} W={quorums.write} A={quorums.ack}")
    return found


def _row(row: Any) -> tuple[int, ...] | None:
    """Five numbers, in a list or with names: the sizes, the number of covering sets, and the smallest of them."""
    values = list(row.values()) if _is_case(row) else row
    if not isinstance(values, list) or len(values) != ROW:
        return None
    numbers = [len(value) if isinstance(value, list) else value for value in values]
    fit = all(isinstance(number, int) and not isinstance(number, bool) for number in numbers)
    return tuple(numbers) if fit and all(1 <= size <= TABLE_MAX for size in numbers[:3]) else None


def _is_case(value: Any) -> bool:
    return isinstance(value, dict)
