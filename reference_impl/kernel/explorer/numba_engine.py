"""The engine over compiled words: a hash table of whole states that grows, so nothing is trusted to a hash alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numba
import numpy as np
import numpy.typing as npt

from reference_impl.kernel.explorer.columns import Columns, U
from reference_impl.kernel.explorer.engine import Level
from reference_impl.kernel.explorer.result import EngineName
from spec.explore.layout import Layout
from spec.explore.words_source import words_source

TABLE_MIN: Final = 1 << 16
"""Places of the first table."""

FULL: Final = 0.6
"""A table grows when so much of it is used."""

SLICE: Final = 1 << 15
"""So many states are expanded between two looks at the budget."""

BATCH: Final = 1 << 10
"""So many successors are looked up together, so that the processor waits for many places of the table at once."""

DONE, GROW, WRONG = range(3)
"""Why ``expand`` returned: the slice is done, something is full, or something is wrong in the state at hand."""

Compiled: TypeAlias = Callable[..., Any]


class NumbaEngine:
    """Keeps what was seen in one table.

    Memory: the table takes 8 bytes for each word of each place; between 30 and 60 % of its places are used, and it
    takes half as much again while it grows. Besides it, the level and the next level are in memory.

    A place of zeros is empty: the state without any row is the start, which has always been seen.
    """

    name: EngineName = "numba"

    def __init__(self, layout: Layout) -> None:
        self.words = layout.words
        self._expand, self._insert, self._move = compiled(layout)
        self._batch = BATCH + len(layout.lowering.moves) + 1
        self._buffers = (np.empty((self.words, self._batch), U), np.empty(self._batch, U), np.empty(self._batch, U))
        self._table: npt.NDArray[np.uint64] = np.zeros(TABLE_MIN * self.words, U)
        self._used = 0
        self._compile()

    def remember(self, states: Columns) -> None:
        """These states were seen before."""
        self._room(states.shape[1])
        self._insert(np.ascontiguousarray(states), self._table)
        self._used += states.shape[1]

    def expand(self, states: Columns, tick: Callable[[int, int], None]) -> Level:
        """Take every step from states that are remembered, and remember what is new."""
        states = np.ascontiguousarray(states)
        batch = self._batch
        new = np.empty((self.words, 2 * states.shape[1] + SLICE + batch), U)
        at, count, transitions = 0, 0, 0
        while at < states.shape[1]:
            self._room(batch)
            if count + batch > new.shape[1]:
                new = np.concatenate([new, np.empty_like(new)], axis=1)
            end = min(at + SLICE, states.shape[1])
            most = min(new.shape[1], count + int(self._places * FULL) - self._used) - batch
            before = count
            at, count, steps, why = self._expand(states, at, end, new, count, most, self._table, *self._buffers)
            self._used += count - before
            transitions += steps
            if why == WRONG:
                return Level(states[:, :0], transitions, states[:, at : at + 1])
            tick(at, transitions)
        return Level(new[:, :count].copy(), transitions)

    @property
    def _places(self) -> int:
        return len(self._table) // self.words

    def _room(self, more: int) -> None:
        """Make the table large enough for so many more states."""
        places = self._places
        while self._used + more > int(places * FULL):
            places *= 2
        if places > self._places:
            grown: npt.NDArray[np.uint64] = np.zeros(places * self.words, U)
            self._move(self._table, grown)
            self._table = grown

    def _compile(self) -> None:
        none: Columns = np.empty((self.words, 0), U)
        self._insert(none, self._table)
        self._move(self._table[:0], self._table)
        self._expand(none, 0, 0, none, 0, 0, self._table, *self._buffers)


def compiled(layout: Layout) -> tuple[Compiled, Compiled, Compiled]:
    """The functions ``expand``, ``insert`` and ``move`` of a layout; they compile when they are first called."""
    source = words_source(layout)
    scope: dict[str, Any] = {name: U(value) for name, value in source.constants.items()}
    scope |= {"U": U, "ALL": ~U(0), "ORDER": np.array(source.order, np.int64)}
    text = HELPERS + source.text + table_source(layout.words, symmetric=layout.permutations > 1)
    before = set(scope)
    exec(text, scope)  # noqa: S102 - the text is derived from closed terms, never from input
    for name in [name for name in scope if name not in before and name != "__builtins__"]:
        scope[name] = numba.njit(scope[name], error_model="numpy")
    return scope["expand"], scope["insert"], scope["move"]


HELPERS: Final = """
def least(a, b):
    return a if a < b else b

def most(a, b):
    return b if a < b else a

def pick(c, a, b):
    return a if c else b

def ones(c):
    return ALL if c else U(0)

def mix(x):
    x = (x ^ (x >> U(32))) * U(0xD6E8FEB86659FD93)
    x = (x ^ (x >> U(32))) * U(0xD6E8FEB86659FD93)
    return x ^ (x >> U(32))

"""


def table_source(words: int, *, symmetric: bool) -> str:
    """``expand``, ``insert`` and ``move`` over states of so many words."""
    numbers = range(words)
    state = ", ".join(f"y{n}" for n in numbers)
    given = ", ".join(f"states[{n}, at]" for n in numbers)
    place = "mix(y0)" if words == 1 else f"mix(y0 ^ {_chained(list(numbers[1:]))})"
    at = "h" if words == 1 else f"h * U({words})"
    empty = " and ".join(f"table[{at} + U({n})] == U(0)" for n in numbers)
    same = " and ".join(f"table[{at} + U({n})] == y{n}" for n in numbers)
    canonical = [f"({state},) = canonical({state})", *(f"out[{n}, i] = y{n}" for n in numbers)] if symmetric else []
    return f"""
def put(table, mask, {state}):
    h = {place} & mask
    while not ({empty}):
        h = (h + U(1)) & mask
    {_lines(4, [f"table[{at} + U({n})] = y{n}" for n in numbers])}

def insert(states, table):
    mask = U(len(table) // {words} - 1)
    for at in range(states.shape[1]):
        put(table, mask, {given})

def move(old, table):
    mask = U(len(table) // {words} - 1)
    for at in range(0, len(old), {words}):
        {_lines(8, [f"y{n} = old[at + {n}]" for n in numbers])}
        if {" or ".join(f"y{n} != U(0)" for n in numbers)}:
            put(table, mask, {state})

def expand(states, at, end, new, count, most, table, out, near, place):
    mask = U(len(table) // {words} - 1)
    transitions = 0
    while at < end:
        if count > most:
            return at, count, transitions, {GROW}
        n = 0
        while at < end and n < {BATCH}:
            n, wrong = successors(out, n, {given})
            if wrong:
                return at, count, transitions, {WRONG}
            at += 1
        transitions += n
        for i in range(n):
            {_lines(12, [*(f"y{n} = out[{n}, i]" for n in numbers), *canonical])}
            place[i] = {place} & mask
        for i in range(n):
            h = place[i]
            near[i] = table[{at}]
        for i in range(n):
            {_lines(12, [f"y{n} = out[{n}, i]" for n in numbers])}
            {"if near[i] == y0: continue" if words == 1 else ""}
            h = place[i]
            while not ({empty}) and not ({same}):
                h = (h + U(1)) & mask
            if not ({same}):
                {_lines(16, [f"table[{at} + U({n})] = new[{n}, count] = y{n}" for n in numbers])}
                count += 1
    return at, count, transitions, {DONE}
"""


def _chained(numbers: list[int]) -> str:
    first, *rest = numbers
    return f"mix(y{first} ^ {_chained(rest)})" if rest else f"mix(y{first})"


def _lines(indent: int, lines: list[str]) -> str:
    return ("\n" + " " * indent).join(lines)
