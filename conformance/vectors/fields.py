"""Fields of a case: each part is there, of its kind and in its range, or the case is refused by name.

Everything that reads a part takes the fields and the part's name, so that it reads members of a list as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Any, Final, TypeVar

from conformance.vectors.errors import DamagedVectors
from reference_impl.log.lsn import ESN_MAX, lsn_of
from spec.log.topology import Location, read_location

Name = TypeVar("Name", bound=Enum)
Kind = TypeVar("Kind")
Value = TypeVar("Value")

NUMBER_MAX: Final = (1 << 64) - 1

NODE_MAX: Final = (1 << 15) - 1
"""The highest number of a node: LogDevice, include/types.h, node_index_t."""

NOTES: Final = frozenset({"note", "comment", "source"})
"""Parts that only explain, wherever they stand."""

LSNS: Final = {"LSN_MAX": NUMBER_MAX, "LSN_INVALID": 0, "LSN_OLDEST": 1}
"""LSNs that have names: LogDevice, include/types.h."""

_LSN: Final = re.compile(r"e([0-9]{1,10})n([0-9]{1,10})")
_NODE: Final = re.compile(r"N(0|[1-9][0-9]{0,4})")
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,19}")

_KINDS: Final = {str: "a text", bool: "true or false", list: "a list in brackets", dict: "an object in braces"}


class Reads:
    """Which parts of a case somebody has looked at, by their paths.

    Attributes:
        looked: parts that were asked for, be they there or not.
        whole: parts that were taken as they are, with all that is in them.
    """

    def __init__(self) -> None:
        self.looked: set[str] = set()
        self.whole: set[str] = set()

    def unread(self, value: object, path: Callable[[str], str]) -> list[str]:
        """The parts of an object that nobody has looked at, the outermost only."""
        found = list[str]()
        for name, part in value.items() if isinstance(value, Mapping) else ():
            if (here := path(name)) in self.whole or name in NOTES:
                continue
            found += self._below(here, part) if here in self.looked else [here]
        return found

    def _below(self, path: str, part: object) -> list[str]:
        if isinstance(part, list):
            part = {f"[{place}]": one for place, one in enumerate(part)}
            return self.unread(part, lambda name: f"{path}{name}")
        return self.unread(part, lambda name: f"{path}.{name}")


class Fields:
    """One object of a case, whose parts are asked for by name and kind; null stands for a part that is not there.

    Attributes:
        where: the file, and the case in it.

    Raises:
        DamagedVectors: from every method, where the part is missing, of another kind, or out of range.
    """

    def __init__(self, value: object, where: str, path: str = "", reads: Reads | None = None) -> None:
        self.where, self._path, self._reads = where, path, Reads() if reads is None else reads
        if not isinstance(value, Mapping):
            raise self.refuse("a part has no parts", f"{path or 'the case'} is {value!r:.80}", _KINDS[dict])
        self._value: Mapping[str, Any] = value

    def __contains__(self, name: str) -> bool:
        return self._get(name) is not None

    def unread(self) -> list[str]:
        """The paths of parts that nobody has looked at, the outermost only; notes are no such parts."""
        return self._reads.unread(self._value, self.path)

    def _get(self, name: str) -> Any:
        self._reads.looked.add(self.path(name))
        return self._value.get(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._value)

    def __len__(self) -> int:
        return len(self._value)

    def refuse(self, what: str, why: str, advice: str) -> DamagedVectors:
        """The error for something that is wrong here: the fault, what is wrong, and what to try."""
        return DamagedVectors(what, why[:200], advice, self.where)

    def refuse_part(self, what: str, name: str, advice: str) -> DamagedVectors:
        """The error for a part that is missing, or is not what it must be."""
        seen = f"is {self._value[name]!r:.80}" if name in self._value else "is missing"
        return self.refuse(what if name in self else "a case lacks a part", f"{self.path(name)} {seen}", advice)

    def refuse_name(self, what: str, name: str, advice: str) -> DamagedVectors:
        """The error for the name of a part, and what it must be."""
        return self.refuse(what, f"{self._path or 'the case'} names {name!r:.80}", advice)

    def path(self, name: str) -> str:
        """Where a part is in the case."""
        return name if not self._path or name.startswith(f"{self._path}[") else f"{self._path}.{name}"

    def has(self, name: str) -> bool:
        """Whether a part is there, be it null."""
        return name in self._value

    def raw(self, name: str) -> Any:
        """A part as it is; None where it is missing."""
        self._reads.whole.add(self.path(name))
        return self._get(name)

    def expected(self) -> list[str]:
        """The names of all parts that tell what is expected."""
        return [name for name, value in self._value.items() if name.startswith("expected") and value is not None]

    def whole(self) -> Mapping[str, Any]:
        """All parts as they are."""
        self._reads.whole.update(self.path(name) for name in self._value)
        return self._value

    def text(self, name: str, default: str | None = None) -> str:
        """A text."""
        return self._of(name, str, default)

    def flag(self, name: str, *, default: bool | None = None) -> bool:
        """A truth value."""
        return self._of(name, bool, default)

    def number(self, name: str, default: int | None = None, *, least: int = 0, most: int = NUMBER_MAX) -> int:
        """A whole number of a range."""
        value = self._get(name)
        if value is None and default is not None:
            return default
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise self.refuse_part("no such number", name, f"a whole number from {least} to {most}")
        return value

    def fraction(self, name: str, *, most: int = NUMBER_MAX) -> float:
        """A number from 0 on that need not be whole."""
        value = self._get(name)
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= most:
            raise self.refuse_part("no such number", name, f"a number from 0 to {most}")
        return float(value)

    def node(self, name: str) -> int:
        """The number of a node, written as a number or as ``N3``."""
        value = self._get(name)
        node = _node(value)
        if node is None and isinstance(value, str):
            raise self.refuse_part("no such node", name, f"N0 to N{NODE_MAX}")
        return self.number(name, most=NODE_MAX) if node is None else node

    def nodes(self) -> dict[int, str]:
        """The parts of an object whose names are nodes, such as ``N3``."""
        found = {name: _node(name) for name in self}
        if wrong := [name for name, node in found.items() if node is None]:
            raise self.refuse_name("no such node", wrong[0], f"N0 to N{NODE_MAX}")
        return {node: name for name, node in found.items() if node is not None}

    def lsn(self, name: str, default: int | None = None) -> int:
        """An LSN, written as ``e1n2`` or by its name."""
        value = self._get(name)
        if value is None and default is not None:
            return default
        if isinstance(value, str) and value in LSNS:
            return LSNS[value]
        found = _LSN.fullmatch(value) if isinstance(value, str) else None
        if found is None or max(epoch := int(found[1]), esn := int(found[2])) > ESN_MAX:
            raise self.refuse_part("no such LSN", name, f"an epoch and an ESN as e1n2, or one of {', '.join(LSNS)}")
        return lsn_of(epoch, esn)

    def location(self, name: str) -> Location:
        """A location from the region down to the rack, with dots between; missing is nowhere."""
        try:
            return read_location(self.text(name, ""))
        except ValueError as error:
            raise self.refuse_part("no such location", name, str(error)) from error

    def one_of(self, name: str, names: type[Name], default: Name | None = None) -> Name:
        """One of a few names."""
        if default is not None and name not in self:
            return default
        return self.choice(name, {str(one.value): one for one in names})

    def choice(self, name: str, among: Mapping[str, Value]) -> Value:
        """What stands under one of a few names."""
        value = self._get(name)
        if not isinstance(value, str) or value not in among:
            raise self.refuse_part("no such name", name, f"one of {', '.join(among)}")
        return among[value]

    def below(self, name: str, default: Mapping[str, Any] | None = None) -> Fields:
        """An object."""
        value: Mapping[str, Any] = self._of(name, dict, None if default is None else dict(default))
        return Fields(value, self.where, self.path(name), self._reads)

    def members(self, name: str, count: int | None = None, default: tuple[()] | None = None) -> Fields:
        """A list as fields, whose names are the places in it; of so many members, if that is said."""
        values: list[Any] = self._of(name, list, None if default is None else [])
        if count is not None and len(values) != count:
            raise self.refuse_part("a list is too short or too long", name, f"{count} members")
        path = self.path(name)
        return Fields({f"{path}[{place}]": one for place, one in enumerate(values)}, self.where, path, self._reads)

    def every(
        self, name: str, read: Callable[[Fields, str], Value], default: tuple[()] | None = None
    ) -> tuple[Value, ...]:
        """A list, each member read in the same way."""
        inside = self.members(name, default=default)
        return tuple(read(inside, place) for place in inside)

    def numbered(self, most: int = NUMBER_MAX) -> dict[int, str]:
        """The parts of an object whose names are numbers."""
        names = [name for name in self if name not in NOTES]
        if wrong := [name for name in names if not _NUMBER.fullmatch(name) or int(name) > most]:
            raise self.refuse_name("no such number", wrong[0], f"whole numbers up to {most}")
        return {int(name): name for name in names}

    def over(self, values: Mapping[str, Any]) -> Fields:
        """These fields, with values for what they do not say."""
        said = {name: value for name, value in self._value.items() if value is not None}
        return Fields({**values, **said}, self.where, self._path, self._reads)

    def _of(self, name: str, kind: type[Kind], default: Kind | None) -> Kind:
        value: object = self._get(name)
        if value is None and default is not None:
            return default
        if not isinstance(value, kind):
            raise self.refuse_part("a part is of another kind", name, _KINDS[kind])
        return value


def _node(name: object) -> int | None:
    """The number that the name of a node has; None where it is no such name."""
    found = _NODE.fullmatch(name) if isinstance(name, str) else None
    return int(found[1]) if found and int(found[1]) <= NODE_MAX else None
