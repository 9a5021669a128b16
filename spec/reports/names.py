"""Names: how reports write the rows that rules judge, and how people name a row on a command line.

An LSN is written as LogDevice does: ``e3n17`` is epoch 3, ESN 17; positions of other families are ``3:17``. A row is
named by the parts of its view's key with commas between them: ``1,e3n17``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from spec.language.declare import View
from spec.language.orders import POSITIONS
from spec.language.terms import Field

_LSN = re.compile(r"e(\d+)n(\d+)", re.ASCII)
_POSITION = re.compile(r"(\d+):(\d+)", re.ASCII)
_DIGEST_BITS = 64


class BadKey(ValueError):
    """A text does not name a row of the view."""


@dataclass(frozen=True)
class Names:
    """What a trace calls its nodes, logs and clients, and how wide an ESN is.

    Attributes:
        nodes: names of nodes by number.
        logs: names of logs by number.
        esn_bits: how many low bits of an LSN are its ESN.
        writers: names of those who append, by number.
        readers: names of those who read, by number.
        roles: what each recorder is in the system, by its name.
    """

    nodes: tuple[str, ...] = ()
    logs: Mapping[int, str] = field(default_factory=dict)
    esn_bits: int = 32
    writers: Mapping[int, str] = field(default_factory=dict)
    readers: Mapping[int, str] = field(default_factory=dict)
    roles: Mapping[str, str] = field(default_factory=dict)

    def node(self, number: int) -> str:
        """A node's name, or its number where it has none."""
        return self.nodes[number] if 0 <= number < len(self.nodes) else f"node {number}"

    def log(self, number: int) -> str:
        """A log's name, or its number where it has none."""
        return self.logs.get(number) or f"log {number}"

    def writer(self, number: int) -> str:
        """The name of who appends, or its number where it has none."""
        return self._client("client", self.writers.get(number), number)

    def reader(self, number: int) -> str:
        """The name of who reads, or its number where it has none."""
        return self._client("reader", self.readers.get(number), number)

    def _client(self, word: str, name: str | None, number: int) -> str:
        """A name alone, unless it is a mere number or could be taken for a node."""
        tells = name and not name.isdecimal() and name not in self.nodes
        return name if name and tells else f"{word} {name or number}"

    def lsn(self, number: int) -> str:
        """An LSN as epoch and ESN."""
        return "e{}n{}".format(*self.parts(number))

    def parts(self, position: int) -> tuple[int, int]:
        """The high and the low part of a position."""
        return position >> self.esn_bits, position & (1 << self.esn_bits) - 1


class Named(Protocol):
    """A node with a name."""

    @property
    def name(self) -> str:
        """What people call it."""
        ...


class Recording(Protocol):
    """Who writes events down."""

    @property
    def role(self) -> str:
        """What it is in the system."""
        ...


class Naming(Protocol):
    """What names a trace's header gives."""

    @property
    def nodes(self) -> Sequence[Named]:
        """The nodes in order."""
        ...

    @property
    def logs(self) -> Mapping[int, str]:
        """Names of logs by number."""
        ...

    @property
    def esn_bits(self) -> int:
        """How many low bits of an LSN are its ESN."""
        ...

    @property
    def writers(self) -> Mapping[int, str]:
        """Names of those who append, by number."""
        ...

    @property
    def readers(self) -> Mapping[int, str]:
        """Names of those who read, by number."""
        ...

    @property
    def recorders(self) -> Mapping[str, Recording]:
        """Who writes events down, by name."""
        ...


def names_of(header: Naming) -> Names:
    """What a trace calls its nodes, logs and clients."""
    nodes = tuple(node.name for node in header.nodes)
    roles = {name: recorder.role for name, recorder in header.recorders.items()}
    return Names(nodes, header.logs, header.esn_bits, header.writers, header.readers, roles)


def digest_text(digest: int) -> str:
    """A digest as 16 hexadecimal digits."""
    return f"{digest & (1 << _DIGEST_BITS) - 1:016x}"


def columns_of_key(view: type[View]) -> dict[str, str]:
    """The columns of the vocabulary behind the parts of a view's key."""
    found = {}
    for name in view.key:
        term = view.base[name]
        found[name] = term.column if isinstance(term, Field) else name
    return found


def key_text(view: type[View], key: tuple[int, ...], names: Names) -> str:
    """A row's key, as ``read_key`` takes it."""
    columns = columns_of_key(view).values()
    return ",".join(_part(column, part, names) for column, part in zip(columns, key, strict=True))


def _part(column: str, value: int, names: Names) -> str:
    if column in POSITIONS and value >= 0:
        return names.lsn(value) if column == "lsn" else "{}:{}".format(*names.parts(value))
    return digest_text(value) if column == "digest" else str(value)


def key_words(view: type[View], key: tuple[int, ...], names: Names) -> str:
    """A row's key in words, with the names that the trace gives."""
    clients = {"writer": names.writers, "reader": names.readers}
    said = []
    for (name, column), part in zip(columns_of_key(view).items(), key, strict=True):
        match column:
            case "log" if part in names.logs:
                said.append(f"log {part} ({names.log(part)})")
            case "node":
                said.append(f"node {names.node(part)}")
            case "lsn":
                said.append(f"LSN {names.lsn(part)}")
            case "digest":
                said.append(f"payload {digest_text(part)}")
            case _ if column in POSITIONS:
                high, low = names.parts(part)
                said.append(f"{POSITIONS[column].high} {high}, {POSITIONS[column].low} {low}")
            case "actor" if part in (known := clients.get(name, {})):
                said.append(f"{name} {part} ({known[part]})")
            case "actor" | "epoch" | "seq":
                said.append(f"{ {'number': 'epoch'}.get(name, name) } {part}")
            case _:
                said.append(f"{name} {part}")
    return ", ".join(said)


def span_words(view: type[View], key: tuple[int, ...], count: int, names: Names) -> str:
    """So many rows in words, whose keys follow one another from this one on."""
    first = key_words(view, key, names)
    if count == 1:
        return first
    *_, column = columns_of_key(view).values()
    return f"{first} to {_part(column, key[-1] + count - 1, names)}"


def read_key(view: type[View], text: str, names: Names) -> tuple[int, ...]:
    """The key that a text names; parts may also be plain numbers.

    Raises:
        BadKey: it has too few or too many parts, or one that cannot be read.
    """
    columns, parts = columns_of_key(view), text.split(",")
    wanted = ",".join(columns)
    if len(parts) != len(columns):
        raise BadKey(f"key {text!r} has {len(parts)} parts: a row of {view.__name__} is named by {wanted}")
    return tuple(
        _number(column, part.strip(), names, wanted) for column, part in zip(columns.values(), parts, strict=True)
    )


def _number(column: str, text: str, names: Names, wanted: str) -> int:
    if column == "lsn" and (found := _LSN.fullmatch(text)):
        return (int(found[1]) << names.esn_bits) + int(found[2])
    if column in POSITIONS and (found := _POSITION.fullmatch(text)):
        return (int(found[1]) << names.esn_bits) + int(found[2])
    if column == "digest" and re.fullmatch(r"[0-9a-f]{16}", text):
        value = int(text, 16)
        return value - (1 << _DIGEST_BITS) if value >> _DIGEST_BITS - 1 else value
    if not re.fullmatch(r"-?\d{1,19}", text, re.ASCII):
        raise BadKey(f"key part {text!r} is no number: a row is named by {wanted}, an LSN written as e3n17")
    return int(text)
