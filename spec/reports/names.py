"""Names: how reports write the rows that rules judge, and how people name a row on a command line.

A row is named by the parts of its view's key with commas between them: ``1,e3n17``. Positions are written as their
family does: ``e3n17``, or ``3:17``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Protocol

from spec.language.declare import View
from spec.language.events import fields_of
from spec.language.names import HASH_BITS, Names, hash_text
from spec.language.orders import POSITIONS
from spec.language.terms import Field
from spec.language.universes import Universe


class BadKey(ValueError):
    """A text does not name a row of the view."""


class Named(Protocol):
    """A member with a name."""

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
    def members(self) -> Mapping[str, Sequence[Named]]:
        """The members of each universe that is listed."""
        ...

    @property
    def named(self) -> Mapping[str, Mapping[int, str]]:
        """The names of some numbers of each other universe."""
        ...

    @property
    def low_bits(self) -> int:
        """How many low bits of a position are its low part."""
        ...

    @property
    def recorders(self) -> Mapping[str, Recording]:
        """Who writes events down, by name."""
        ...


def names_of(header: Naming) -> Names:
    """What a trace calls those of whom it speaks."""
    listed = {section: tuple(member.name for member in members) for section, members in header.members.items()}
    roles = {name: recorder.role for name, recorder in header.recorders.items()}
    return Names(listed, header.named, header.low_bits, roles)


def columns_of_key(view: type[View]) -> dict[str, str]:
    """The columns of the vocabulary behind the parts of a view's key."""
    return {name: term.column if isinstance(term := view.base[name], Field) else name for name in view.key}


def universe_of(view: type[View], name: str) -> Universe | None:
    """What the numbers of a part of a view's key stand for; None where they are mere numbers."""
    term = view.base[name]
    return fields_of(term.event)[term.name].universe if isinstance(term, Field) else None


def key_text(view: type[View], key: tuple[int, ...], names: Names) -> str:
    """A row's key, as ``read_key`` takes it."""
    parts = zip(columns_of_key(view).items(), key, strict=True)
    return ",".join(_part(column, universe_of(view, name), part, names) for (name, column), part in parts)


def _part(column: str, universe: Universe | None, value: int, names: Names) -> str:
    if column in POSITIONS and value >= 0:
        return POSITIONS[column].write(*names.parts(value))
    return hash_text(value) if universe is not None and universe.hashed else str(value)


def key_words(view: type[View], key: tuple[int, ...], names: Names) -> str:
    """A row's key in words, with the names that the trace gives."""
    parts = zip(columns_of_key(view).items(), key, strict=True)
    return ", ".join(_words(name, column, universe_of(view, name), part, names) for (name, column), part in parts)


def _words(name: str, column: str, universe: Universe | None, part: int, names: Names) -> str:
    if column in POSITIONS:
        position = POSITIONS[column]
        parts = names.parts(part)
        return f"{position.called} {position.write(*parts)}" if position.called else position.spell(*parts)
    if universe is None:
        return f"{name if name != 'number' else column} {part}"
    if universe.hashed:
        return names.of(universe, part)
    if universe.listed:
        return f"{universe.one} {names.of(universe, part)}"
    given = names.given(universe, part)
    return f"{name} {part}" if given is None else f"{name} {part} ({given or names.of(universe, part)})"


def span_words(view: type[View], key: tuple[int, ...], count: int, names: Names) -> str:
    """So many rows in words, whose keys follow one another from this one on."""
    first = key_words(view, key, names)
    if count == 1:
        return first
    *_, (name, column) = columns_of_key(view).items()
    return f"{first} to {_part(column, universe_of(view, name), key[-1] + count - 1, names)}"


def read_key(view: type[View], text: str, names: Names) -> tuple[int, ...]:
    """The key that a text names; parts may also be plain numbers.

    Raises:
        BadKey: it has too few or too many parts, or one that cannot be read.
    """
    columns, parts = columns_of_key(view), text.split(",")
    if len(parts) != len(columns):
        wanted = ",".join(columns)
        raise BadKey(f"key {text!r} has {len(parts)} parts: a row of {view.__name__} is named by {wanted}")
    return tuple(_number(view, name, part.strip(), names) for name, part in zip(columns, parts, strict=True))


def _number(view: type[View], name: str, text: str, names: Names) -> int:
    column, universe = columns_of_key(view)[name], universe_of(view, name)
    if column in POSITIONS and (parts := POSITIONS[column].read(text)) is not None:
        return (parts[0] << names.low_bits) + parts[1]
    if universe is not None and universe.hashed and re.fullmatch(r"[0-9a-f]{16}", text):
        value = int(text, 16)
        return value - (1 << HASH_BITS) if value >> HASH_BITS - 1 else value
    if not re.fullmatch(r"-?\d{1,19}", text, re.ASCII):
        positions = [POSITIONS[one] for one in columns_of_key(view).values() if one in POSITIONS]
        written = "".join(f", {one.called or one.column} written as {one.write(3, 17)}" for one in positions)
        raise BadKey(f"key part {text!r} is no number: a row is named by {','.join(columns_of_key(view))}{written}")
    return int(text)
