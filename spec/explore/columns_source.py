"""The successors of many states at once, as source text for numpy: a column of 64-bit numbers for each word."""

from __future__ import annotations

from dataclasses import dataclass

from spec.explore.canonical import Canonical
from spec.explore.graph import Formula, Gate
from spec.explore.layout import Field, Layout
from spec.explore.lowering import Move
from spec.explore.program import FormulaGroup, program
from spec.explore.source import Constants, Writer, conditions_of, updated


@dataclass(frozen=True)
class Source:
    """Text of functions, and the numbers that it refers to.

    Attributes:
        text: defines the functions.
        constants: the numbers, by name.
        order: which swaps to try, one after the other, for canonical forms.
        fields: what the words consist of.
    """

    text: str
    constants: dict[str, int]
    order: tuple[int, ...]
    fields: tuple[Field, ...]


def columns_source(layout: Layout) -> Source:
    """``successors(out, x0, ...)`` and ``canonical(x0, ...)`` for numpy.

    ``successors`` writes the successors below each other into the rows of ``out``, one row for each word, and returns
    how many there are, and the place of the first state in which something is wrong (or how many states there are).
    The text needs ``flatnonzero``, ``least``, ``most``, ``pick`` and ``ones`` (all ones where a condition holds).
    """
    writer = _Columns(layout)
    canonical = Canonical(layout)
    text = canonical.source() + "\n" + writer.source()
    return Source(text, canonical.constants | writer.constants.values, tuple(layout.order), tuple(layout.fields))


class _Columns:
    def __init__(self, layout: Layout) -> None:
        self.layout, self.constants = layout, Constants()
        self.numbers = range(layout.words)
        self.lines: list[str] = []

    def source(self) -> str:
        for number, part in enumerate(program(self.layout.lowering)):
            if part.asked is True:
                self._part(part, "x", f"p{number}_", "")
            elif isinstance(part.asked, Gate):
                self._selected(part, part.asked, number)
        given = ", ".join(f"x{number}" for number in self.numbers)
        body = [*(f"o{number} = out[{number}]" for number in self.numbers), "n, bad = 0, len(x0)", *self.lines]
        return f"def successors(out, {given}):\n    " + "\n    ".join([*body, "return n, bad"]) + "\n"

    def _selected(self, part: FormulaGroup, literals: Gate, number: int) -> None:
        """Compute a part for the states alone that pass its literals."""
        asked = Writer(self.layout, self.constants, "x", f"a{number}_")
        name = asked.value(literals)
        self.lines += [*asked.lines, f"i = flatnonzero({name})", "if len(i):"]
        self.lines += [f"    y{word} = x{word}[i]" for word in self.numbers]
        self._part(part, "y", f"p{number}_", "    ")

    def _part(self, part: FormulaGroup, word: str, local: str, indent: str) -> None:
        writer = Writer(self.layout, self.constants, word, local)
        tails = [self._move(writer, rest, move, word) for rest, move in part.moves]
        wrong = [writer.value(one) for one in part.wrong if isinstance(one, Gate)]
        always = any(one is True for one in part.wrong)
        self.lines += [indent + line for line in writer.lines]
        self.lines += [indent + line for tail in tails for line in tail]
        found = "i[{}]" if indent else "{}"
        if always:
            self.lines.append(f"{indent}bad = min(bad, int({found.format(0)}))")
        elif wrong:
            where = found.format("w.argmax()")
            self.lines += [
                f"{indent}w = {' | '.join(wrong)}",
                f"{indent}if w.any():",
                f"{indent}    bad = min(bad, int({where}))",
            ]

    def _move(self, writer: Writer, fires: Formula, move: Move, word: str) -> list[str]:
        """Write the successors by one move; what conditions it is computed with the part."""
        conditions = {one: writer.value(one) for one in conditions_of(move)}
        if isinstance(fires, Gate):
            lines = [f"j = flatnonzero({writer.value(fires)})", "e = n + len(j)", "if e > n:"]
            lines += [f"    z{number} = {word}{number}[j]" for number in self.numbers]
            take = "[j]"
        else:
            lines = [
                f"e = n + len({word}0)",
                "if e > n:",
                *(f"    z{number} = {word}{number}" for number in self.numbers),
            ]
            take = ""
        names = {}
        for place, (one, variable) in enumerate(conditions.items()):
            names[one] = f"k{place}"
            lines.append(f"    k{place} = ones({variable}{take})")
        after = updated(move, self.layout, self.constants, "z", names)
        lines += [f"    o{number}[n:e] = {code}" for number, code in enumerate(after)]
        return [*lines, "    n = e"]
