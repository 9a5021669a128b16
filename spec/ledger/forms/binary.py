"""Messages as bytes: each field is a tag, then a number of variable length, or a length and so many bytes.

Protocol Buffers, Encoding. BookKeeper, meta/LedgerMetadataSerDe.java: version 3, and the times of checks.
"""

from __future__ import annotations

from typing import Final

from spec.ledger.errors import LedgerError, Malformed, Truncated
from spec.ledger.forms.messages import Field, Kind, Message, Value, Values, checked, number

VARINT, FIXED_64, LENGTH, FIXED_32 = 0, 1, 2, 5
"""What stands behind a tag."""

FIXED: Final = {FIXED_64: 8, FIXED_32: 4}
"""How many bytes a number of fixed length has."""

VARINT_BYTES_MAX: Final = 10
SEVEN_BITS: Final = 0x7F
MORE: Final = 0x80
"""The bit of a byte that says that another one follows."""

WORD: Final = 1 << 64


def read(message: Message, data: bytes, where: str) -> Values:
    """The fields of a message; those that are unknown are passed over, as protocol buffers have it.

    Protocol Buffers, Encoding: message structure.

    Raises:
        Truncated: it ends within a field.
        Malformed: a tag, a number or a text is none, or a field is missing or repeated.
    """
    fields = {field.number: field for field in message}
    values: Values = {}
    at = 0
    while at < len(data):
        tag, start = read_varint(data, at, where)
        found, at = _content(data, start, tag & 7, where)
        if field := fields.get(tag >> 3):
            values.setdefault(field.name, []).append(_value(field, found, where))
    return checked(message, values, where)


def write(message: Message, values: Values) -> bytes:
    """A message as bytes, its fields in the order of their numbers.

    Protocol Buffers, Encoding: message structure.
    """
    written = b""
    for field in message:
        for value in values.get(field.name, ()):
            if isinstance(value, int):
                written += write_varint(field.number << 3 | VARINT) + write_varint(value % WORD)
            else:
                inside = write(field.fields, value) if isinstance(value, dict) else _bytes(value)
                written += write_varint(field.number << 3 | LENGTH) + write_varint(len(inside)) + inside
    return written


def read_varint(data: bytes, at: int, where: str) -> tuple[int, int]:
    """A number from a place on, seven bits a byte, the least first; and the place behind it.

    Protocol Buffers, Encoding: base 128 varints.

    Raises:
        Truncated: it does not end.
        Malformed: it is longer than numbers of 64 bits are.
    """
    found = 0
    for step in range(VARINT_BYTES_MAX):
        if at + step >= len(data):
            raise _truncated(where, at)
        found |= (data[at + step] & SEVEN_BITS) << 7 * step
        if data[at + step] < MORE and found < WORD:
            return found, at + step + 1
    raise Malformed("a number is too long", _at(where, at), f"{VARINT_BYTES_MAX} bytes or more", "64 bits")


def write_varint(value: int) -> bytes:
    """A number from 0 on, seven bits a byte, the least first.

    Protocol Buffers, Encoding: base 128 varints.
    """
    written = bytearray()
    while value > SEVEN_BITS:
        written.append(value & SEVEN_BITS | MORE)
        value >>= 7
    return bytes([*written, value])


def _content(data: bytes, at: int, kind: int, where: str) -> tuple[int | bytes, int]:
    """What stands behind a tag, and the place behind that."""
    if kind == VARINT:
        return read_varint(data, at, where)
    if kind == LENGTH:
        size, start = read_varint(data, at, where)
    elif kind in FIXED:
        size, start = FIXED[kind], at
    else:
        raise Malformed("no such tag", _at(where, at), f"wire type {kind}", "0, 1, 2 or 5")
    if start + size > len(data):
        raise _truncated(where, at)
    return data[start : start + size], start + size


def _value(field: Field, found: int | bytes, where: str) -> Value:
    """The value of a field from what stands behind its tag."""
    is_number = field.kind is Kind.NUMBER or field.kind is Kind.NAME
    if isinstance(found, int):
        if is_number:
            return number(field, found - WORD if found >= WORD // 2 else found, where)
    elif field.kind is Kind.MESSAGE:
        return read(field.fields, found, f"{where}, {field.name}")
    elif field.kind is Kind.BYTES:
        return found
    elif field.kind is Kind.TEXT:
        return _text(field, found, where)
    raise Malformed("a field is of another kind", where, field.name, field.kind.value)


def _text(field: Field, found: bytes, where: str) -> str:
    try:
        return found.decode()
    except UnicodeDecodeError as wrong:
        raise Malformed("a text is no UTF-8", f"{where}, {field.name}", wrong.reason, "bytes of a text") from wrong


def _bytes(value: str | bytes) -> bytes:
    return value.encode() if isinstance(value, str) else value


def _truncated(where: str, at: int) -> LedgerError:
    return Truncated("it ends early", _at(where, at), "within a field", "all bytes of it")


def _at(where: str, at: int) -> str:
    return f"{where}, byte {at}"
