"""Reading the parts of a case with care: numbers in their range, names that exist; and telling differences."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum
from typing import Any, Final, TypeVar

from conformance.vectors.cases import Case, part
from conformance.vectors.errors import DamagedVectors
from reference_impl.log.lsn import ESN_MAX, lsn_of

Named = TypeVar("Named", bound=StrEnum)
Value = TypeVar("Value")

NODE_MAX: Final = (1 << 15) - 1
"""The highest number of a node: LogDevice, include/types.h, node_index_t."""

NUMBER_MAX: Final = (1 << 64) - 1

_LSN: Final = re.compile(r"e([0-9]{1,10})n([0-9]{1,10})")


def whole(value: Any, name: str, where: str, least: int = 0, most: int = NUMBER_MAX) -> int:
    """A whole number in a range.

    Raises:
        DamagedVectors: it is another thing, or out of range.
    """
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise DamagedVectors("a number is none", f"{name} is {value!r}", f"a number from {least} to {most}", where)
    return value


def lsn_in(text: Any) -> int | None:
    """The LSN that a text such as e1n2 stands for; None if it stands for none."""
    found = _LSN.fullmatch(text) if isinstance(text, str) else None
    if found is None or max(epoch := int(found[1]), esn := int(found[2])) > ESN_MAX:
        return None
    return lsn_of(epoch, esn)


def node(value: Any, name: str, where: str) -> int:
    """The number of a node, written as a number or as ``N3``.

    Raises:
        DamagedVectors: it is neither.
    """
    digits = value[1:] if isinstance(value, str) and value.startswith("N") else ""
    return whole(int(digits) if digits.isdecimal() and len(digits) < len("100000") else value, name, where, 0, NODE_MAX)


def each(case: Case, name: str, where: str, read: Callable[[Any, str, str], Value]) -> tuple[Value, ...]:
    """The members of a list, each read in the same way.

    Raises:
        DamagedVectors: there is no such list, or a member cannot be read.
    """
    return tuple(read(value, f"{name}[{place}]", where) for place, value in enumerate(part(case, name, list, where)))


def flag(case: Case, name: str, where: str) -> bool:
    """A truth value; no where it is missing.

    Raises:
        DamagedVectors: it is another thing.
    """
    return bool(part(case, name, bool, where)) if name in case else False


def one_of(names: type[Named], value: Any, where: str) -> Named:
    """One of a few names.

    Raises:
        DamagedVectors: none of them.
    """
    if not isinstance(value, str) or value not in {*names}:
        raise DamagedVectors("no such name", repr(value), f"one of {', '.join(names)}", where)
    return names(value)


def as_case(value: Any, name: str, where: str) -> Case:
    """A part that has parts itself.

    Raises:
        DamagedVectors: it is another thing.
    """
    if not isinstance(value, dict):
        raise DamagedVectors("a part has no parts", f"{name} is {value!r}", "an object in braces", where)
    return value


def differences(expected: Any, seen: Any, what: str = "") -> tuple[str, ...]:
    """The difference between what was expected and what was seen, as one clause; none if they are alike."""
    about = f"{what}: " if what else ""
    return () if _alike(expected, seen) else (f"{about}expected {_told(expected)}, seen {_told(seen)}",)


def _alike(expected: Any, seen: Any) -> bool:
    """Equal, where a truth value is no number; a list may stand for a tuple."""
    if isinstance(expected, list | tuple) and isinstance(seen, list | tuple):
        return len(expected) == len(seen) and all(map(_alike, expected, seen))
    return type(expected) is type(seen) and bool(expected == seen)


def _told(value: Any) -> str:
    if isinstance(value, frozenset | list | tuple):
        return f"[{', '.join(map(_told, sorted(value) if isinstance(value, frozenset) else value))}]"
    return str(value)
