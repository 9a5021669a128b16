"""Cases of a reader's helpers: the search for slow nodes, and the lists of nodes that it does not wait for.

``find_outliers``: which of the ``samples`` are outliers, by ``method`` and so many deviations; where ``allowed`` is
given, only those may be. ``filtered_out_list``: operations in order, what each ``returns``, and the ``state`` between.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any, Final

from conformance.vectors.cases import Case, part
from conformance.vectors.errors import DamagedVectors
from conformance.vectors.parts import as_case, differences, each, node, one_of, whole
from reference_impl.log.delivery import filtered_out
from reference_impl.log.delivery.filtered_out import FilteredOut
from reference_impl.log.delivery.outliers import Method, Sample, find_outliers

Changed = tuple[FilteredOut, bool | None]

LISTS: Final = ("new_down", "new_slow", "down", "slow")
SAMPLES_MAX: Final = 100_000


def seen(case: Case, where: str) -> tuple[str, ...]:
    """How a case differs from what the reader's helpers do.

    Raises:
        DamagedVectors: the case is no case of a reader's helpers.
    """
    kind = part(case, "kind", str, where)
    if kind not in KINDS:
        raise DamagedVectors("no such kind", repr(kind), f"one of {', '.join(KINDS)}", where)
    return KINDS[kind](case, where)


def _outliers(case: Case, where: str) -> tuple[str, ...]:
    samples = each(case, "samples", where, _sample)
    allowed = None if case.get("allowed") is None else frozenset(each(case, "allowed", where, _name))
    found = find_outliers(
        samples,
        whole(case.get("max_outliers"), "max_outliers", where, 0, SAMPLES_MAX),
        method=one_of(Method, case.get("method"), where),
        deviations=_number(case.get("num_deviations"), "num_deviations", where),
        margin=_number(case.get("required_margin"), "required_margin", where),
        may_be=lambda key: allowed is None or key in allowed,
    ).outliers
    if "expected_count_not" in case:
        other = whole(case["expected_count_not"], "expected_count_not", where)
        return () if len(found) != other else (f"expected another number of outliers than {other}",)
    return differences(sorted(each(case, "expected", where, _sample)), sorted(found))


def _filtered_out(case: Case, where: str) -> tuple[str, ...]:
    lists, found = FilteredOut(), []
    for place, step in enumerate(each(case, "ops", where, as_case)):
        if "state" in step:
            found += _wrong_lists(as_case(step["state"], f"ops[{place}].state", where), lists, place, where)
            continue
        name = part(step, "op", str, where)
        if name not in OPERATIONS:
            raise DamagedVectors("no such operation", repr(name), f"one of {', '.join(OPERATIONS)}", where)
        lists, said = OPERATIONS[name](lists, step, where)
        if step.get("returns") is not None:
            found += differences(part(step, "returns", bool, where), said, f"ops[{place}] {name}")
    return tuple(found)


def _wrong_lists(state: Case, lists: FilteredOut, place: int, where: str) -> list[str]:
    expected = {name: frozenset(each(state, name, where, node)) for name in LISTS}
    return [
        clause
        for name, nodes in expected.items()
        for clause in differences(nodes, getattr(lists, name), f"ops[{place}] {name}")
    ]


def _arg(step: Case, where: str) -> int:
    return node(step.get("arg"), "arg", where)


OPERATIONS: Final[dict[str, Callable[[FilteredOut, Case, str], Changed]]] = {
    "add_down": lambda lists, step, where: filtered_out.add_down(lists, _arg(step, where)),
    "remove_down": lambda lists, step, where: filtered_out.remove_down(lists, _arg(step, where)),
    "slow": lambda lists, step, where: filtered_out.change_slow(lists, frozenset(each(step, "arg", where, node))),
    "apply": lambda lists, _step, _where: filtered_out.apply(lists),
    "erase": lambda lists, step, where: filtered_out.erase(lists, _arg(step, where)),
    "clear": lambda lists, _step, _where: (filtered_out.clear(lists), None),
}
"""What a case may do to the lists: LogDevice, common/client_read_stream/ClientReadStreamScd.h, FilteredOut."""

KINDS: Final[dict[str, Callable[[Case, str], tuple[str, ...]]]] = {
    "find_outliers": _outliers,
    "filtered_out_list": _filtered_out,
}


def _name(value: Any, name: str, where: str) -> str:
    if not isinstance(value, str):
        raise DamagedVectors("a shard has no name", f"{name} is {value!r}", "a text, such as N1", where)
    return value


def _sample(value: Any, name: str, where: str) -> Sample[str]:
    if not isinstance(value, list) or len(value) != len(Sample._fields):
        raise DamagedVectors("a sample is none", f"{name} is {value!r}", 'a shard and a number, as ["N1", 50]', where)
    return Sample(_name(value[0], name, where), _number(value[1], name, where))


def _number(value: Any, name: str, where: str) -> float:
    """A number that is neither negative nor beyond what a program can measure."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not isfinite(value) or not 0 <= value < 1 << 64:
        raise DamagedVectors("a number is none", f"{name} is {value!r}", "a number from 0 on", where)
    return float(value)
