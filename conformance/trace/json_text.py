"""JSON text, strictly: no repeated names, no infinities, and every failure a named error."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from conformance.trace.errors import Duplicated, Mistyped, Oversized


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise Duplicated(f"field {twice!r} stands twice", "one object may say a thing once", "keep one of the two")
    return found


def _finite(text: str) -> float:
    if math.isinf(value := float(text)):
        raise Oversized(f"number {text[:40]}", "it is beyond a 64-bit float", "write a smaller number, or text")
    return value


def _no_constant(text: str) -> NoReturn:
    raise Mistyped(f"number {text}", "JSON has no infinities and no NaN", "write null for what is not known")


_decoder = json.JSONDecoder(object_pairs_hook=_once, parse_float=_finite, parse_constant=_no_constant)


def utf8(data: bytes) -> str:
    """The text that bytes are.

    Raises:
        Mistyped: they are none in UTF-8.
    """
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise Mistyped("not UTF-8", error.reason, "write JSON in UTF-8") from None


def decode(text: str) -> Any:
    """The value of a JSON text.

    Raises:
        Mistyped: it is not JSON.
        Duplicated: an object has one name twice.
        Oversized: a number or the nesting has no end.
    """
    try:
        return _decoder.decode(text)
    except json.JSONDecodeError as error:
        why = f"{error.msg.removesuffix(' at')} at column {error.colno}"
        raise Mistyped("not JSON", why, "one JSON object for each line") from None
    except RecursionError:
        raise Oversized("nested too deeply", "values stand in values without end", "flatten the field") from None
    except ValueError:
        raise Oversized("a number of thousands of digits", "no field is as wide", "write numbers of 64 bits") from None


def encode(value: Any) -> bytes:
    """One value as compact JSON in UTF-8; text that UTF-8 cannot hold is escaped.

    Raises:
        Mistyped: the value has no JSON form.
        Oversized: the nesting has no end.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, allow_nan=False, separators=(",", ":")).encode()
    except RecursionError:
        raise Oversized("nested too deeply", "values stand in values without end", "flatten the field") from None
    except (TypeError, ValueError) as error:
        raise Mistyped("no JSON form", str(error), "numbers, text, lists and mappings only") from None
