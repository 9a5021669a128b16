"""Foreign recordings as JSON lines, plain or zstd by content: one object a line, each field typed or refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from conformance.trace import typed
from conformance.trace.errors import Empty, Mistyped, NullValue, Oversized, TraceError, Truncated
from conformance.trace.files import opened, placed
from conformance.trace.json_text import decode

LIMIT = 1 << 26
"""Bytes that one line may have: an operator's tool may print a whole log."""

E = TypeVar("E", bound=TraceError)


@dataclass(frozen=True, slots=True)
class Line:
    """One object of a foreign recording, and where it stands."""

    said: Mapping[str, Any]
    path: Path
    number: int

    @property
    def where(self) -> str:
        """The file and the line."""
        return f"{self.path}, line {self.number}"

    def whole(self, name: str, low: int = 0, high: int = typed.HIGH) -> int:
        """A whole number that must be there.

        Raises:
            MissingField, NullValue, Mistyped, Oversized: it is not, with the file and line.
        """
        with self.placing():
            return typed.number(name, self._required(name), low, high)

    def words(self, name: str) -> str:
        """A text that must be there.

        Raises:
            MissingField, NullValue, Mistyped: it is not, with the file and line.
        """
        with self.placing():
            return typed.text(name, self._required(name))

    def value(self, name: str) -> Any:
        """Anything but null that must be there.

        Raises:
            MissingField, NullValue: it is not, with the file and line.
        """
        with self.placing():
            said = self._required(name)
            if said is None:
                raise NullValue(f"{name} is null", "every row of this kind knows it", f"record {name}")
            return said

    def has(self, name: str) -> bool:
        """Whether the line says this, and it is not null."""
        return self.said.get(name) is not None

    def placing(self) -> AbstractContextManager[None]:
        """Put the file and line in front of the places that errors of a block name."""
        return placed(self.where)

    def refuse(self, error: E) -> E:
        """The error, with the file and line in front."""
        return error.at(self.where)

    def _required(self, name: str) -> Any:
        return typed.required(self.said, name, "row of this kind", f"record {name}")


def read_lines(path: Path) -> Iterator[Line]:
    """The objects of a file, in order; empty lines say nothing.

    Raises:
        NotReadable, Damaged, Truncated, Mistyped, Duplicated, Oversized, Empty: with the file and line.
    """
    found = False
    with placed(path), opened(path) as file:
        number = 0
        while text := file.readline(LIMIT + 1):
            number += 1
            if text.isspace():
                continue
            with placed(f"line {number}"):
                said = _object(text)
            found = True
            yield Line(said, path, number)
        if not found:
            raise Empty("no row", "the file says nothing", "check whether the recorder was on")


def _object(text: bytes) -> dict[str, Any]:
    if len(text) > LIMIT:
        raise Oversized(f"a line of more than {LIMIT} bytes", "no row is as large", "one object for each line")
    try:
        said = decode(text.decode().removesuffix("\n"))
    except (Mistyped, UnicodeDecodeError) as error:
        if not text.endswith(b"\n"):
            raise Truncated("the last line is cut short", "the file ends inside it", "copy it again") from None
        if isinstance(error, UnicodeDecodeError):
            raise Mistyped("not UTF-8", error.reason, "write JSON in UTF-8, plain or zstd") from None
        raise
    if not isinstance(said, dict):
        raise Mistyped(f"a line says {said!r:.40}", "each line must be an object", "one row for each line")
    return said
