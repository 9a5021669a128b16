"""Cases of a reader's helpers: the search for slow nodes, and the lists of nodes that it does not wait for.

``find_outliers``: which of the ``samples`` are outliers, by ``method`` and so many deviations; where ``allowed`` is
given, only those may be. ``filtered_out_list``: operations in order, what each ``returns``, and the ``state`` between.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from conformance.vectors.differences import differences
from conformance.vectors.fields import Fields
from reference_impl.log.delivery import filtered_out
from reference_impl.log.delivery.filtered_out import FilteredOut
from reference_impl.log.delivery.outliers import Method, Sample, find_outliers

Changed = tuple[FilteredOut, bool | None]

LISTS: Final = ("new_down", "new_slow", "down", "slow")
SAMPLES_MAX: Final = 100_000


def seen(case: Fields) -> tuple[str, ...]:
    """How a case differs from what the reader's helpers do.

    Raises:
        DamagedVectors: the case is no case of a reader's helpers.
    """
    return case.choice("kind", KINDS)(case)


def _outliers(case: Fields) -> tuple[str, ...]:
    allowed = frozenset(case.every("allowed", Fields.text)) if "allowed" in case else None
    found = find_outliers(
        case.every("samples", _sample),
        case.number("max_outliers", most=SAMPLES_MAX),
        method=case.one_of("method", Method),
        deviations=case.fraction("num_deviations"),
        margin=case.fraction("required_margin"),
        may_be=lambda key: allowed is None or key in allowed,
    ).outliers
    told: tuple[str, ...] = ()
    if "expected_count_not" in case and len(found) == (other := case.number("expected_count_not")):
        told += (f"expected another number of outliers than {other}",)
    if "expected_count" in case:
        told += differences(case.number("expected_count"), len(found), "number of outliers")
    if "expected" in case or not case.expected():
        told += differences(sorted(case.every("expected", _sample)), sorted(found))
    return told


def _filtered_out(case: Fields) -> tuple[str, ...]:
    lists, found = FilteredOut(), []
    for place, step in enumerate(case.every("ops", Fields.below)):
        if "state" in step:
            found += _wrong_lists(step.below("state"), lists, place)
            continue
        lists, said = step.choice("op", OPERATIONS)(lists, step)
        if "returns" in step:
            found += differences(step.flag("returns"), said, f"ops[{place}] {step.text('op')}")
    return tuple(found)


def _wrong_lists(state: Fields, lists: FilteredOut, place: int) -> list[str]:
    expected = {name: frozenset(state.every(name, Fields.node)) for name in LISTS}
    return [
        clause
        for name, nodes in expected.items()
        for clause in differences(nodes, getattr(lists, name), f"ops[{place}] {name}")
    ]


def _nodes(step: Fields) -> frozenset[int]:
    return frozenset(step.every("arg", Fields.node))


OPERATIONS: Final[dict[str, Callable[[FilteredOut, Fields], Changed]]] = {
    "add_down": lambda lists, step: filtered_out.add_down(lists, step.node("arg")),
    "remove_down": lambda lists, step: filtered_out.remove_down(lists, step.node("arg")),
    "slow": lambda lists, step: filtered_out.change_slow(lists, _nodes(step)),
    "apply": lambda lists, _: filtered_out.apply(lists),
    "erase": lambda lists, step: filtered_out.erase(lists, step.node("arg")),
    "clear": lambda lists, _: (filtered_out.clear(lists), None),
}
"""What a case may do to the lists: LogDevice, common/client_read_stream/ClientReadStreamScd.h, FilteredOut."""

KINDS: Final[dict[str, Callable[[Fields], tuple[str, ...]]]] = {
    "find_outliers": _outliers,
    "filtered_out_list": _filtered_out,
}


def _sample(case: Fields, name: str) -> Sample[str]:
    """A shard and what was measured of it."""
    pair = case.members(name, len(Sample._fields))
    shard, value = pair
    return Sample(pair.text(shard), pair.fraction(value))
