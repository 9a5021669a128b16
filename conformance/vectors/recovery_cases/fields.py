"""Fields of a case: each is there and of its type, or the case is refused by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import Any, Final, TypeVar

from conformance.vectors.errors import DamagedVectors
from conformance.vectors.parts import NUMBER_MAX, lsn_in

Name = TypeVar("Name", bound=Enum)
Kind = TypeVar("Kind")

_ADVICE: Final = "compare it with docs/how-to/write-vectors.md and the cases beside it"


class Fields:
    """One object of a case, whose parts are asked for by name and type.

    Raises:
        DamagedVectors: from every method, where the part is missing or of another type.
    """

    def __init__(self, value: object, where: str) -> None:
        if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
            raise DamagedVectors("a case lacks a part", f"{value!r:.80} is no object with names", _ADVICE, where)
        self._value: Mapping[str, Any] = value
        self.where = where

    def __contains__(self, name: str) -> bool:
        return self._value.get(name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self._value)

    def refuse(self, what: str, why: object) -> DamagedVectors:
        """The error for something that is wrong here."""
        return DamagedVectors(what, f"{why}"[:200], _ADVICE, self.where)

    def raw(self, name: str) -> Any:
        """A part as it is; None where it is missing."""
        return self._value.get(name)

    def text(self, name: str, default: str | None = None) -> str:
        """A text."""
        return self._of(name, str, default)

    def flag(self, name: str, *, default: bool | None = None) -> bool:
        """A truth value."""
        return self._of(name, bool, default)

    def number(self, name: str, default: int | None = None, *, most: int = NUMBER_MAX) -> int:
        """A whole number, from 0 to ``most``."""
        return self.whole(self._of(name, int, default), most)

    def whole(self, value: object, most: int = NUMBER_MAX) -> int:
        """Any value as a whole number."""
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
            raise self.refuse("no such number", f"{value!r:.80}, where a number from 0 to {most} must be")
        return value

    def names(self, name: str, default: Iterable[str] | None = None) -> list[str]:
        """A list of texts."""
        found = self._of(name, list, None if default is None else list(default))
        if not all(isinstance(one, str) for one in found):
            raise self.refuse("a case lacks a part", f"{name!r} must be a list of names")
        return found

    def items(self, name: str, default: list[Any] | None = None) -> list[Any]:
        """A list of anything."""
        return self._of(name, list, default)

    def numbers(self, name: str) -> list[int]:
        """A list of whole numbers."""
        return [self.whole(one) for one in self._of(name, list, None)]

    def below(self, name: str, default: dict[str, Any] | None = None) -> Fields:
        """An object."""
        return Fields(self._of(name, dict, default), self.where)

    def each(self, name: str, default: list[Any] | None = None) -> list[Fields]:
        """A list of objects."""
        return [Fields(one, self.where) for one in self._of(name, list, default)]

    def one_of(self, name: str, names: type[Name], default: Name | None = None) -> Name:
        """One of a few names."""
        if default is not None and name not in self:
            return default
        return self.named(self.raw(name), names)

    def named(self, value: object, names: type[Name]) -> Name:
        """Any value as one of a few names."""
        try:
            return names(value)
        except ValueError as error:
            known = ", ".join(str(one.value) for one in names)
            raise self.refuse("no such name", f"{value!r:.80}, where one of {known} must be") from error

    def numbered(self) -> dict[int, Any]:
        """This object, whose names are numbers."""
        if wrong := [name for name in self if not name.isdecimal() or int(name) > NUMBER_MAX]:
            raise self.refuse("no such number", f"{wrong[0]!r:.80}")
        return {int(name): self._value[name] for name in self}

    def lsn(self, value: object) -> int:
        """An LSN, written e<epoch>n<esn>."""
        found = lsn_in(value)
        if found is None:
            raise self.refuse("no such LSN", f"{value!r:.80}, where e<epoch>n<esn> must be")
        return found

    def _of(self, name: str, kind: type[Kind], default: Kind | None) -> Kind:
        value: object = self._value.get(name)
        if value is None and default is not None:
            return default
        if not isinstance(value, kind):
            seen = f"{value!r:.80}" if name in self._value else "missing"
            raise self.refuse("a case lacks a part", f"{name!r} is {seen}, and must be {kind.__name__}")
        return value
