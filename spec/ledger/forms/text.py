"""Messages as text: each field is a name and its value, one a line, messages in braces.

Protocol Buffers, Text Format Language Specification. BookKeeper, meta/LedgerMetadataSerDe.java: version 2, and marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from spec.ledger.errors import LedgerError, Malformed, Truncated
from spec.ledger.forms.messages import Field, Kind, Message, Value, Values, checked, number

_TOKEN: Final = re.compile(
    r"""(?P<space>[\s,;]+|\#[^\n]*)|(?P<word>[A-Za-z_]\w*)|(?P<number>-?\d{1,20})(?!\w)"""
    r"""|(?P<quoted>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?P<sign>[:{}<>])""",
    re.ASCII,
)
_ESCAPE: Final = re.compile(rb"\\(?:([0-7]{1,3})|[xX]([0-9A-Fa-f]{1,2})|(.))", re.DOTALL)
_LETTERS: Final = dict(zip(b"abfnrtv\\'\"?", b"\a\b\f\n\r\t\v\\'\"?", strict=True))
"""What a letter behind a backslash stands for."""

_WRITTEN: Final = {9: r"\t", 10: r"\n", 13: r"\r", 34: r"\"", 39: r"\'", 92: r"\\"}
"""What is written with a backslash and a letter; what else is no sign of ASCII is written as its number."""

_PRINTED: Final = range(32, 127)
_BYTES: Final = range(256)
_CLOSING: Final = {"{": "}", "<": ">"}


@dataclass(frozen=True)
class _Token:
    """One word, number, text or sign, and the line where it stands; empty at the end."""

    kind: str
    text: str
    line: int


def read(message: Message, text: str, where: str, line: int = 1) -> Values:
    """The fields of a message whose text begins at a line.

    Protocol Buffers, Text Format Language Specification.

    Raises:
        Truncated: it ends within a field.
        Malformed: a field is unknown, missing, repeated or of another kind, or something is no field.
    """
    return _fields(message, _tokens(text, where, line), "", where)


def write(message: Message, values: Values, indent: str = "") -> str:
    """A message as text, its fields in the order of their numbers.

    Protocol Buffers, Text Format Language Specification.
    """
    return "".join(
        f"{indent}{field.name}{_written(field, value, indent)}\n"
        for field in message
        for value in values.get(field.name, ())
    )


def _written(field: Field, value: Value, indent: str) -> str:
    if isinstance(value, dict):
        return f" {{\n{write(field.fields, value, indent + '  ')}{indent}}}"
    if isinstance(value, int):
        return f": {field.names(value).name if field.names else value}"
    return f': "{_quoted(value.encode() if isinstance(value, str) else value)}"'


def _quoted(content: bytes) -> str:
    return "".join(_WRITTEN.get(byte) or (chr(byte) if byte in _PRINTED else f"\\{byte:03o}") for byte in content)


def _tokens(text: str, where: str, line: int) -> Iterator[_Token]:
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise Malformed("no part of a message", f"{where}, line {line}", f"{text[at : at + 20]!r}", "name: value")
        if found.lastgroup and found.lastgroup != "space":
            yield _Token(found.lastgroup, found[0], line)
        at, line = found.end(), line + found[0].count("\n")
    while True:
        yield _Token("end", "", line)


def _fields(message: Message, tokens: Iterator[_Token], closing: str, where: str) -> Values:
    """Fields up to a closing sign, or to the end where there is none."""
    fields = {field.name: field for field in message}
    values: Values = {}
    while (token := next(tokens)).text != closing:
        field = fields.get(token.text)
        if field is None:
            raise _unexpected(token, f"a field: {', '.join(fields)}", where)
        values.setdefault(field.name, []).append(_value(field, tokens, where))
    return checked(message, values, where)


def _value(field: Field, tokens: Iterator[_Token], where: str) -> Value:
    token = next(tokens)
    if has_colon := token.text == ":":
        token = next(tokens)
    if field.kind is Kind.MESSAGE and token.text in _CLOSING:
        return _fields(field.fields, tokens, _CLOSING[token.text], f"{where}, {field.name}")
    if has_colon and token.kind == "number" and field.kind in {Kind.NUMBER, Kind.NAME}:
        return number(field, int(token.text), where)
    if has_colon and field.names and token.text in field.names.__members__:
        return field.names[token.text].value
    if has_colon and token.kind == "quoted" and field.kind in {Kind.TEXT, Kind.BYTES}:
        return _unquoted(field, token, where)
    raise _unexpected(token, f"{field.kind.value} for {field.name}", where)


def _unquoted(field: Field, token: _Token, where: str) -> str | bytes:
    content = _ESCAPE.sub(lambda found: _unescaped(found, token, where), token.text[1:-1].encode())
    try:
        return content if field.kind is Kind.BYTES else content.decode()
    except UnicodeDecodeError as wrong:
        raise _unexpected(token, "a text in UTF-8", where) from wrong


def _unescaped(found: re.Match[bytes], token: _Token, where: str) -> bytes:
    octal, hexadecimal, letter = found.groups()
    byte = int(octal, 8) if octal else int(hexadecimal, 16) if hexadecimal else _LETTERS.get(letter[0], -1)
    if byte not in _BYTES:
        raise _unexpected(token, "known signs behind a backslash", where)
    return bytes([byte])


def _unexpected(token: _Token, expected: str, where: str) -> LedgerError:
    place = f"{where}, line {token.line}"
    if token.kind == "end":
        return Truncated("it ends early", place, f"instead of {expected}", "the whole text")
    return Malformed("something else is expected", place, f"{token.text[:40]!r}", expected)
