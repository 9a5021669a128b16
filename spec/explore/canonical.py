"""The canonical form of a state as source text: one state stands for all that differ by exchanging equals.

The text has no branch and works on words of any kind, given ``least``, ``most`` and ``pick``: on numpy columns, on
single words compiled by numba, and on Python's own numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

from spec.explore.changes import sorting_network
from spec.explore.layout import Field, Fields, Layout, fields_of


@dataclass(frozen=True)
class Limb:
    """Part of a block as one number: a variable, and at which bit of it each field lies."""

    variable: str
    fields: tuple[tuple[Field, int], ...]

    @property
    def width(self) -> int:
        """How many bits it has."""
        return sum(field.width for field, _ in self.fields)


class Canonical:
    """Writes ``canonical``.

    Attributes:
        constants: the numbers that the text refers to, by name.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.constants: dict[str, int] = {}
        self._lines: list[str] = []
        self._variables = 0
        self.words = [f"x{word}" for word in range(layout.words)]

    def constant(self, value: int) -> str:
        """The name of a number."""
        name = f"C{value}"
        self.constants[name] = value
        return name

    def source(self) -> str:
        """``canonical(x0, ...)`` gives a tuple of words."""
        if not self.layout.order:
            return self._sorting("canonical")
        swaps = [self._swap(number, pairs) for number, pairs in enumerate(self.layout.swaps)]
        return "\n".join([*swaps, self._sorting("arranged"), self._least()])

    def _let(self, code: str) -> str:
        self._variables += 1
        self._lines.append(f"v{self._variables} = {code}")
        return f"v{self._variables}"

    def _sorting(self, name: str) -> str:
        """The state with every block of fields sorted."""
        self._lines, self._variables = [], 0
        limbs = [limb for block in self.layout.sorted for limb in self._sorted(block)]
        terms: list[list[str]] = []
        for number, variable in enumerate(self.words):
            moving = sum(
                field.mask for block in self.layout.sorted for field in fields_of(block) if field.word == number
            )
            kept = f"{variable} & {self.constant((1 << self.layout.word_bits) - 1 - moving)}" if moving else variable
            terms.append([f"({kept})"])
        for limb in limbs:
            for word, term in self._back(limb):
                terms[word].append(term)
        results = "".join(f"{' | '.join(parts)}, " for parts in terms)
        return _function(name, self.words, [*self._lines, f"return ({results})"])

    def _sorted(self, block: Fields) -> list[Limb]:
        """The limbs of a block, sorted inside, least first."""
        if isinstance(block, tuple):
            return [Limb(self._field(field), ((field, 0),)) for field in block]
        parts = [self._joined(self._sorted(part)) for part in block]
        for low, high in sorting_network(len(parts)):
            parts[low], parts[high] = self._exchanged(parts[low], parts[high])
        return [limb for part in parts for limb in part]

    def _field(self, field: Field) -> str:
        shifted = (
            f"({self.words[field.word]} >> {self.constant(field.shift)})" if field.shift else self.words[field.word]
        )
        return self._let(f"{shifted} & {self.constant((1 << field.width) - 1)}")

    def _joined(self, limbs: list[Limb]) -> list[Limb]:
        """As few limbs as possible, so that blocks compare as numbers."""
        joined: list[Limb] = []
        for limb in limbs:
            if joined and joined[-1].width + limb.width <= self.layout.word_bits:
                low = joined.pop()
                code = f"{low.variable} | ({limb.variable} << {self.constant(low.width)})"
                moved = tuple((field, at + low.width) for field, at in limb.fields)
                joined.append(Limb(self._let(code), low.fields + moved))
            else:
                joined.append(limb)
        return joined

    def _exchanged(self, one: list[Limb], other: list[Limb]) -> tuple[list[Limb], list[Limb]]:
        """The lesser block in the first place and the greater in the second."""
        pairs = [(low.variable, high.variable) for low, high in zip(one, other, strict=True)]
        if len(pairs) == 1:
            ((a, b),) = pairs
            made = [(self._let(f"least({a}, {b})"), self._let(f"most({a}, {b})"))]
        else:
            wrong = self._let(less([b for _, b in pairs], [a for a, _ in pairs]))
            made = [(self._let(f"pick({wrong}, {b}, {a})"), self._let(f"pick({wrong}, {a}, {b})")) for a, b in pairs]
        lows = [Limb(low, limb.fields) for (low, _), limb in zip(made, one, strict=True)]
        highs = [Limb(high, limb.fields) for (_, high), limb in zip(made, other, strict=True)]
        return lows, highs

    def _back(self, limb: Limb) -> list[tuple[int, str]]:
        """The fields of a limb at their places, as terms of their words."""
        distances = {(field.word, field.shift - at) for field, at in limb.fields}
        if len(distances) == 1:
            ((word, distance),) = distances
            return [(word, f"({limb.variable} << {self.constant(distance)})" if distance else limb.variable)]
        terms = []
        for field, at in limb.fields:
            part = f"({limb.variable} >> {self.constant(at)}) & {self.constant((1 << field.width) - 1)}"
            terms.append((field.word, f"(({part}) << {self.constant(field.shift)})"))
        return terms

    def _swap(self, number: int, pairs: list[tuple[int, int]]) -> str:
        """Exchange pairs of bits, all pairs of one distance at once."""
        masks: dict[tuple[int, int, int], int] = {}
        for here, there in pairs:
            (low, at), (high, other) = divmod(here, self.layout.word_bits), divmod(there, self.layout.word_bits)
            masks[low, high, other - at] = masks.get((low, high, other - at), 0) | 1 << at
        lines = []
        for (low, high, distance), mask in masks.items():
            steps = self.constant(abs(distance))
            to, back = (">>", "<<") if distance >= 0 else ("<<", ">>")
            lines += [
                f"t = ((x{high} {to} {steps}) ^ x{low}) & {self.constant(mask)}",
                f"x{low} = x{low} ^ t",
                f"x{high} = x{high} ^ (t {back} {steps})",
            ]
        return _function(f"swap{number}", self.words, [*lines, f"return ({', '.join(self.words)},)"])

    def _least(self) -> str:
        """The least arranged form over all permutations."""
        given, words = ", ".join(self.words), range(self.layout.words)
        best, other = [f"b{word}" for word in words], [f"y{word}" for word in words]
        lines = [f"({', '.join(best)},) = arranged({given})", "for s in ORDER:"]
        for number in range(len(self.layout.swaps)):
            lines += [f"    {'elif' if number else 'if'} s == {number}:", f"        ({given},) = swap{number}({given})"]
        lines += [f"    ({', '.join(other)},) = arranged({given})", f"    c = {less(other, best)}"]
        lines += [f"    {b} = pick(c, {y}, {b})" for b, y in zip(best, other, strict=True)]
        return _function("canonical", self.words, [*lines, f"return ({', '.join(best)},)"])


def less(one: list[str], other: list[str]) -> str:
    """The first words are less than the others; the last word counts most."""
    said = f"({one[0]} < {other[0]})"
    for a, b in zip(one[1:], other[1:], strict=True):
        said = f"(({a} < {b}) | (({a} == {b}) & {said}))"
    return said


def _function(name: str, given: list[str], lines: list[str]) -> str:
    return f"def {name}({', '.join(given)}):\n    " + "\n    ".join(lines) + "\n"
