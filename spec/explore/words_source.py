"""The successors of one state as source text that a compiler of Python, such as numba, turns into machine code."""

from __future__ import annotations

from spec.explore.canonical import Canonical
from spec.explore.columns_source import Source
from spec.explore.graph import Formula, Gate
from spec.explore.layout import Layout
from spec.explore.lowering import Move
from spec.explore.program import FormulaGroup, program
from spec.explore.source import Constants, Writer, conditions_of, updated


def words_source(layout: Layout) -> Source:
    """``successors(out, n, x0, ...)`` and ``canonical(x0, ...)`` for single words.

    ``successors`` writes the successors into the columns of ``out`` from column ``n`` on, one row for each word, and
    returns the column after the last one and whether something is wrong in the state itself. Which steps are possible
    is hard for a processor to predict, so each successor is written and ``n`` moves on only if there is one: ``out``
    needs a column more than there are moves. The text needs ``least``, ``most``, ``pick`` and ``ones`` of single words.
    """
    writer = _Words(layout)
    canonical = Canonical(layout)
    text = canonical.source() + "\n" + writer.source()
    constants = canonical.constants | writer.constants.values
    return Source(text, constants, tuple(layout.order), tuple(layout.fields))


class _Words:
    def __init__(self, layout: Layout) -> None:
        self.layout, self.constants = layout, Constants()
        self.numbers = range(layout.words)
        self.lines: list[str] = []

    def source(self) -> str:
        for number, part in enumerate(program(self.layout.lowering)):
            if isinstance(part.asked, Gate):
                asked = Writer(self.layout, self.constants, "x", f"a{number}_")
                name = asked.value(part.asked)
                self.lines += [*asked.lines, f"if {name}:"]
            self._part(part, f"p{number}_", "    " if isinstance(part.asked, Gate) else "")
        given = ", ".join(f"x{number}" for number in self.numbers)
        body = ["wrong = False", *self.lines, "return n, wrong"]
        return f"def successors(out, n, {given}):\n    " + "\n    ".join(body) + "\n"

    def _part(self, part: FormulaGroup, local: str, indent: str) -> None:
        writer = Writer(self.layout, self.constants, "x", local)
        tails = [self._move(writer, fires, move) for fires, move in part.moves]
        wrong = [writer.value(one) if isinstance(one, Gate) else str(one) for one in part.wrong]
        if wrong:
            tails.append([f"wrong = wrong | {' | '.join(wrong)}"])
        self.lines += [indent + line for line in writer.lines]
        self.lines += [indent + line for tail in tails for line in tail]

    def _move(self, writer: Writer, fires: Formula, move: Move) -> list[str]:
        variables = {one: writer.value(one) for one in conditions_of(move)}
        names = {one: f"k{place}" for place, one in enumerate(variables)}
        lines = [f"{names[one]} = ones({variable})" for one, variable in variables.items()]
        after = updated(move, self.layout, self.constants, "x", names)
        lines += [f"out[{number}, n] = {code}" for number, code in enumerate(after)]
        return [*lines, f"n += {writer.value(fires) if isinstance(fires, Gate) else 1}"]
