"""Untyped values made typed: each function gives the value back, or names what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from conformance.trace.errors import MissingField, Mistyped, NullValue, Oversized

LOW: Final = -(1 << 63)
HIGH: Final = (1 << 63) - 1
"""What a number of 64 bits with sign can hold."""


def _refuse(name: str, value: object, wanted: str) -> Mistyped | NullValue:
    if value is None:
        return NullValue(f"{name} is null", f"it must be {wanted}", "say it; only some fields may be unknown")
    return Mistyped(f"{name} is {value!r:.60}", f"it must be {wanted}", f"write {wanted}")


def text(name: str, value: object) -> str:
    """A text that UTF-8 can hold.

    Raises:
        Mistyped, NullValue: it is none.
    """
    if type(value) is not str:
        raise _refuse(name, value, "text")
    if not value.isascii() and any("\ud800" <= sign <= "\udfff" for sign in value):
        raise Mistyped(f"{name} is {value!r:.60}", "it has half a character", "write text that is valid Unicode")
    return value


def number(name: str, value: object, low: int = LOW, high: int = HIGH) -> int:
    """A whole number from ``low`` to ``high``.

    Raises:
        Mistyped, NullValue: it is none.
        Oversized: it lies outside.
    """
    if type(value) is not int:
        raise _refuse(name, value, "a whole number")
    if not low <= value <= high:
        shown = str(value) if abs(value) < 1 << 128 else f"a number of {value.bit_length()} bits"
        raise Oversized(f"{name} is {shown}", f"it must lie between {low} and {high}", "check the recorder's encoding")
    return value


def mapping(name: str, value: object) -> dict[str, Any]:
    """A JSON object.

    Raises:
        Mistyped, NullValue: it is none.
    """
    if not isinstance(value, dict):
        raise _refuse(name, value, "an object")
    return value


def sequence(name: str, value: object) -> list[Any]:
    """A JSON array.

    Raises:
        Mistyped, NullValue: it is none.
    """
    if not isinstance(value, list):
        raise _refuse(name, value, "an array")
    return value


def required(of: Mapping[str, Any], name: str, whose: str, advice: str) -> Any:
    """The value under a name that must be there.

    Raises:
        MissingField: it is not.
    """
    if name not in of:
        raise MissingField(f"{name} is missing", f"every {whose} says it", advice)
    return of[name]
