"""Formulas as source text over words: literals of one word are tested together, by masks."""

from __future__ import annotations

from collections.abc import Iterable

from spec.explore.graph import Formula, Gate, Key
from spec.explore.layout import Layout
from spec.explore.lowering import Move


class Constants:
    """The numbers that a text refers to, by name, so that an engine makes them words of its own kind once."""

    def __init__(self) -> None:
        self.values: dict[str, int] = {}

    def __call__(self, value: int) -> str:
        """The name of a number."""
        name = f"C{value}"
        self.values[name] = value
        return name


class Writer:
    """Lines that compute formulas over one state, or one column of states; what they share is computed once.

    Args:
        word: what the variables of the words are called, without their numbers.
        local: what the variables of formulas are called.
    """

    def __init__(self, layout: Layout, constants: Constants, word: str, local: str) -> None:
        self.layout, self.constants, self.word, self.local = layout, constants, word, local
        self.lines: list[str] = []
        self._known: dict[Gate | str, str] = {}

    def value(self, gate: Gate) -> str:
        """The variable that says whether a formula holds."""
        if gate not in self._known:
            parts = [gate] if gate.literal else gate.ordered()
            ones = [part.key for part in parts if part.kind == "bit" and part.key is not None]
            zeros = [part.key for part in parts if part.kind == "not" and part.key is not None]
            masked = (self.layout.masks(ones), self.layout.masks(zeros))
            tests = self._some(*masked) if gate.kind == "or" else self._every(*masked)
            names = [self._named(test) for test in tests] + [self.value(part) for part in parts if not part.literal]
            self._known[gate] = self._named((" | " if gate.kind == "or" else " & ").join(names))
        return self._known[gate]

    def _every(self, ones: dict[int, int], zeros: dict[int, int]) -> Iterable[str]:
        for word in sorted(ones.keys() | zeros.keys()):
            there, absent = ones.get(word, 0), zeros.get(word, 0)
            yield f"({self.word}{word} & {self.constants(there | absent)}) == {self.constants(there)}"

    def _some(self, ones: dict[int, int], zeros: dict[int, int]) -> Iterable[str]:
        for word, mask in ones.items():
            yield f"({self.word}{word} & {self.constants(mask)}) != {self.constants(0)}"
        for word, mask in zeros.items():
            yield f"({self.word}{word} & {self.constants(mask)}) != {self.constants(mask)}"

    def _named(self, code: str) -> str:
        if code.isidentifier():
            return code
        if code not in self._known:
            self._known[code] = f"{self.local}{len(self.lines)}"
            self.lines.append(f"{self._known[code]} = {code}")
        return self._known[code]


def updated(move: Move, layout: Layout, constants: Constants, word: str, conditions: dict[Gate, str]) -> list[str]:
    """The words after a move, as expressions; ``conditions`` names words that are all ones where a condition holds."""
    words = [f"{word}{number}" for number in range(layout.words)]
    for number, mask in layout.masks(_always(move.clears)).items():
        words[number] = f"({words[number]} & {constants((1 << layout.word_bits) - 1 - mask)})"
    for when, keys in _sometimes(move.clears).items():
        for number, mask in layout.masks(keys).items():
            words[number] = f"({words[number]} & ~({conditions[when]} & {constants(mask)}))"
    for number, mask in layout.masks(_always(move.sets)).items():
        words[number] = f"({words[number]} | {constants(mask)})"
    for when, keys in _sometimes(move.sets).items():
        for number, mask in layout.masks(keys).items():
            words[number] = f"({words[number]} | ({conditions[when]} & {constants(mask)}))"
    return words


def conditions_of(move: Move) -> list[Gate]:
    """The conditions on which a move's updates depend."""
    return list(dict.fromkeys([*_sometimes(move.clears), *_sometimes(move.sets)]))


def _always(rows: dict[Key, Formula]) -> list[Key]:
    return [key for key, when in rows.items() if when is True]


def _sometimes(rows: dict[Key, Formula]) -> dict[Gate, list[Key]]:
    found: dict[Gate, list[Key]] = {}
    for key, when in rows.items():
        if isinstance(when, Gate):
            found.setdefault(when, []).append(key)
    return found
