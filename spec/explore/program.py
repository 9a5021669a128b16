"""What a search computes for each state, in an order that serves every engine.

Each formula asks some literals, which one masked comparison answers, and whatever else. Where the rest is costly it is
computed only for states that pass the literals, and formulas that ask the same literals share it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from spec.explore.graph import Formula, Gate, Graph
from spec.explore.lowering import Lowering, Move

CHEAP: Final = 3
"""A rest of so many joined formulas at most is computed for every state."""


@dataclass
class FormulaGroup:
    """Formulas that ask the same literals first.

    Attributes:
        asked: what all of them ask first; nothing, if they are computed for every state.
        moves: the moves, each with what remains of where it fires.
        wrong: what remains of where something is wrong.
    """

    asked: Formula = True
    moves: list[tuple[Formula, Move]] = field(default_factory=list)
    wrong: list[Formula] = field(default_factory=list)


def program(lowering: Lowering) -> list[FormulaGroup]:
    """The parts, that for every state first."""
    graph = lowering.graph
    parts: dict[Formula, FormulaGroup] = {True: FormulaGroup()}
    for move in lowering.moves:
        asked, rest = divided(graph, move.fires)
        parts.setdefault(asked, FormulaGroup(asked)).moves.append((rest, move))
    for said in factored(graph, lowering.wrong):
        asked, rest = divided(graph, said)
        parts.setdefault(asked, FormulaGroup(asked)).wrong.append(rest)
    return list(parts.values())


def divided(graph: Graph, said: Formula) -> tuple[Formula, Formula]:
    """The literals that a formula asks, and its costly rest; nothing and the whole formula, where that is cheap."""
    if isinstance(said, bool) or said.kind != "and":
        return True, said
    literals = [part for part in said.ordered() if part.literal]
    rest = [part for part in said.ordered() if not part.literal]
    if not literals or size(rest) <= CHEAP:
        return True, said
    return graph.join("and", literals), graph.join("and", rest)


def size(roots: Iterable[Gate]) -> int:
    """How many conjunctions and disjunctions these formulas have together."""
    seen: set[Gate] = set()
    waiting = list(roots)
    while waiting:
        gate = waiting.pop()
        if not gate.literal and gate not in seen:
            seen.add(gate)
            waiting += gate.parts
    return len(seen)


def factored(graph: Graph, said: Iterable[Formula]) -> list[Formula]:
    """Formulas of which some holds wherever some of these holds, with what many of them ask written once."""
    waiting = [one.parts if isinstance(one, Gate) and one.kind == "and" else one for one in said]
    found: list[Formula] = [one for one in waiting if not isinstance(one, frozenset)]
    left = [one for one in waiting if isinstance(one, frozenset)]
    while left:
        common, count = min(
            Counter(part for parts in left for part in parts).items(), key=lambda item: (-item[1], item[0].number)
        )
        if count == 1:
            break
        shared = [parts - {common} for parts in left if common in parts]
        left = [parts for parts in left if common not in parts]
        inner = factored(graph, [graph.join("and", parts) for parts in shared])
        found.append(graph.all_of(common, graph.join("or", inner)))
    return found + [graph.join("and", parts) for parts in left]
