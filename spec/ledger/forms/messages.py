"""Messages: which fields the forms of protocol buffers have, by number, name and kind.

BookKeeper, bookkeeper-proto/src/main/proto/DataFormats.proto.
"""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import Final, NamedTuple, TypeAlias, TypeVar

from spec.ledger.errors import Malformed
from spec.ledger.metadata import DigestType, State

BYTES_MAX: Final = 1 << 24
"""Nothing that a metadata server keeps of a ledger is larger."""

Value: TypeAlias = "int | str | bytes | Values"
Values: TypeAlias = "dict[str, list[Value]]"
"""What a message holds: for each of its fields that is there, its values in order."""

V = TypeVar("V", int, str, bytes, dict[str, "list[Value]"])


class Kind(Enum):
    """What a field holds."""

    NUMBER = "a number"
    NAME = "a name"
    TEXT = "a text"
    BYTES = "bytes"
    MESSAGE = "a message"


class Field(NamedTuple):
    """One field of a message.

    Attributes:
        number: by which it goes in binary form.
        name: by which it goes in text.
        kind: what it holds.
        is_repeated: there may be any number of it.
        is_required: there is one at least.
        bits: how long its numbers are.
        names: the names of its numbers.
        fields: the fields of the message that it holds.
    """

    number: int
    name: str
    kind: Kind
    is_repeated: bool = False
    is_required: bool = False
    bits: int = 64
    names: type[IntEnum] | None = None
    fields: tuple[Field, ...] = ()


Message = tuple[Field, ...]

SEGMENT: Final[Message] = (
    Field(1, "ensembleMember", Kind.TEXT, is_repeated=True),
    Field(2, "firstEntryId", Kind.NUMBER, is_required=True),
)
CUSTOM: Final[Message] = (Field(1, "key", Kind.TEXT), Field(2, "value", Kind.BYTES))
LEDGER: Final[Message] = (
    Field(1, "quorumSize", Kind.NUMBER, is_required=True, bits=32),
    Field(2, "ensembleSize", Kind.NUMBER, is_required=True, bits=32),
    Field(3, "length", Kind.NUMBER, is_required=True),
    Field(4, "lastEntryId", Kind.NUMBER),
    Field(5, "state", Kind.NAME, is_required=True, names=State),
    Field(6, "segment", Kind.MESSAGE, is_repeated=True, fields=SEGMENT),
    Field(7, "digestType", Kind.NAME, names=DigestType),
    Field(8, "password", Kind.BYTES),
    Field(9, "ackQuorumSize", Kind.NUMBER, bits=32),
    Field(10, "ctime", Kind.NUMBER),
    Field(11, "customMetadata", Kind.MESSAGE, is_repeated=True, fields=CUSTOM),
    Field(12, "cToken", Kind.NUMBER),
)
"""BookKeeper, DataFormats.proto, LedgerMetadataFormat."""

MARK: Final[Message] = (Field(1, "replica", Kind.TEXT, is_repeated=True), Field(2, "ctime", Kind.NUMBER))
"""BookKeeper, DataFormats.proto, UnderreplicatedLedgerFormat."""


def checked(message: Message, values: Values, where: str) -> Values:
    """The values, if each field that must be there is, and none that may not is there twice.

    Raises:
        Malformed: a field is missing, or there is more than one.
    """
    for field in message:
        count = len(values.get(field.name, ()))
        if field.is_required and not count:
            raise Malformed("a field is missing", where, field.name, "the whole text or all bytes")
        if count > 1 and not field.is_repeated:
            raise Malformed("a field is there more than once", where, field.name, "one of it")
    return values


def number(field: Field, value: int, where: str) -> int:
    """A number, if the field can have it.

    Raises:
        Malformed: it is out of range, or has no name where it needs one.
    """
    most = 1 << field.bits - 1
    if not -most <= value < most or (field.names and value not in list(field.names)):
        known = ", ".join(f"{one.value} for {one.name}" for one in field.names) if field.names else f"{field.bits} bits"
        raise Malformed("no such number", where, f"{field.name} is {value}", known)
    return value


def every(values: Values, name: str, kind: type[V]) -> list[V]:
    """All values of a field, which are of this kind."""
    return [value for value in values.get(name, ()) if isinstance(value, kind)]


def first(values: Values, name: str, kind: type[V]) -> V | None:
    """The value of a field; None where it is not there."""
    return next(iter(every(values, name, kind)), None)


def present(**values: Value | None) -> Values:
    """The fields that are there, each with one value."""
    return {name: [value] for name, value in values.items() if value is not None}
