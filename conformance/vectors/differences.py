"""Differences between what a case expects and what is seen, told in clauses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from conformance.vectors.fields import LSNS, NOTES, Fields
from reference_impl.log.lsn import epoch_of, esn_of

ERROR: Final = "error"
"""How the name of an expected refusal begins."""


@dataclass(frozen=True)
class Explained:
    """A case that departs from what is defined, and why: each class of departures is a known one, by its name."""

    classes: tuple[str, ...]


def differences(expected: Any, seen: Any, what: str = "") -> tuple[str, ...]:
    """The difference between what was expected and what was seen, as one clause; none if they are alike."""
    about = f"{what}: " if what else ""
    return () if alike(expected, seen) else (f"{about}expected {_told(expected)}, seen {_told(seen)}",)


def answered(expected: Fields, answers: Mapping[str, Any]) -> tuple[str, ...]:
    """How each thing that is expected differs from its answer; an error is expected of any refusal.

    Raises:
        DamagedVectors: nothing is expected.
    """
    if not set(expected) - NOTES:
        raise expected.refuse("nothing is expected", "'expected' is empty", f"one of {', '.join(answers)}")
    found: tuple[str, ...] = ()
    is_refused = any(name.startswith(ERROR) for name in answers)
    for name in expected:
        if name in answers:
            said = expected.raw(name)
            found += () if name.startswith(ERROR) else differences(said, answers[name], name)
        elif name.startswith(ERROR):
            found += (f"{name}: expected {expected.raw(name)}, seen no refusal",)
        elif is_refused and name not in NOTES:
            found += (f"{name}: expected {_told(expected.raw(name))}, seen a refusal",)
    return found


def alike(expected: Any, seen: Any) -> bool:
    """Equal, where a truth value is no number; a list may stand for a tuple."""
    if isinstance(expected, list | tuple) and isinstance(seen, list | tuple):
        return len(expected) == len(seen) and all(map(alike, expected, seen))
    return type(expected) is type(seen) and bool(expected == seen)


def told_lsn(lsn: int) -> str:
    """An LSN as cases write it."""
    return "LSN_MAX" if lsn == LSNS["LSN_MAX"] else f"e{epoch_of(lsn)}n{esn_of(lsn)}"


def told_lsns(lsns: Iterable[int]) -> list[str]:
    """LSNs in ascending order, as cases write them."""
    return [told_lsn(lsn) for lsn in sorted(lsns)]


def _told(value: Any) -> str:
    if isinstance(value, frozenset | list | tuple):
        return f"[{', '.join(map(_told, sorted(value) if isinstance(value, frozenset) else value))}]"
    return str(value)
