"""What a clause on progress says of one state and of one step, by the meaning of a text; and why, where it is false."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from spec.language.protocol.clauses import Clause, Progress
from spec.language.protocol.draft import Work
from spec.language.protocol.meaning import Values, broken, drawn, element, enabled, true
from spec.language.protocol.nearing import NEXT, comes_nearer, goes_on
from spec.language.protocol.states import Domains, Row, Rows, State, Step
from spec.language.protocol.telling import said, unmet
from spec.language.protocol.world import World


def stuck(world: World, state: State, progress: Progress) -> Row | None:
    """Elements for which the end is awaited, and the work whose turn it is cannot be done; None if there are none."""
    return broken(world, state, goes_on(world.protocol, progress))


def not_nearer(world: World, before: State, step: Step, then: State, progress: Progress) -> Row | None:
    """Elements for which a step leads away from the end; None if there are none."""
    clause = comes_nearer(world.protocol, progress, step.action)
    both = State.of(both_states(before, then))
    rows = world.rows(progress.sorts)
    return next((row for row in rows if not true(clause.body, world, both, _values((*row, *step.args)))), None)


def both_states(before: Mapping[str, Rows], then: Mapping[str, Rows]) -> dict[str, Rows]:
    """The rows of two states, those of the later one by other names."""
    return {**before, **{f"{name}{NEXT}": rows for name, rows in then.items()}}


def left(world: Domains, state: State, progress: Progress, row: Row) -> Iterator[list[Step]]:
    """For each kind of work in turn, what of it is left."""
    values = _values(row)
    for work in progress.works:
        action = world.protocol.clauses[work.action]
        inner = (one for one in drawn(work.over, world, values) if _is_left(world, state, work, one))
        yield [_step(action, work, one) for one in inner]


def works(world: Domains, progress: Progress, row: Row) -> list[Step]:
    """All that is fair where this end is awaited: whatever work may ever be left."""
    values = _values(row)
    return [
        _step(world.protocol.clauses[work.action], work, inner)
        for work in progress.works
        for inner in drawn(work.over, world, values)
    ]


def why_waiting(world: World, before: State, step: Step | None, then: State, progress: Progress, row: Row) -> str:
    """Why the end is no nearer, in words: what is left to do and cannot be done, or is left that was not before."""
    if step is None:
        for steps in left(world, before, progress, row):
            for one in steps:
                if not enabled(world, before, one):
                    return f"{said(world, one)} is left to do, and needs {unmet(world, before, one)}"
            if steps:
                break
        return "nothing is left to do"
    if not true(progress.start, world, then, _values(row)):
        return f"it is no longer awaited after {said(world, step)}"
    for old, new in zip(left(world, before, progress, row), left(world, then, progress, row), strict=True):
        more = [one for one in new if one not in old or one == step]
        if more:
            return f"{said(world, more[0])} is left to do after {said(world, step)}"
        if old:
            break
    return "nothing more is left to do"


def _is_left(world: Domains, state: State, work: Work, values: Values) -> bool:
    return work.left is None or true(work.left, world, state, values)


def _step(action: Clause, work: Work, values: Values) -> Step:
    return Step(action, tuple(element(arg, values) for arg in work.args))


def _values(row: Row) -> dict[int, int]:
    return dict(enumerate(row))
