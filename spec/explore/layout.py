"""Layout: which bit of which word each row is.

A state is a few words of 64 bits. The rows of an interchangeable element form a field, the fields of interchangeable
elements have one shape, and no field crosses the end of a word: sorting fields then makes a state canonical. Where
rows relate such elements to each other sorting is not enough, and every permutation is tried.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod
from typing import Final, TypeAlias

from spec.explore.changes import arrangements, nested
from spec.explore.graph import Key
from spec.explore.lowering import Lowering
from spec.explore.symmetry import Asked, Block, NoSymmetry, Swap, Symmetry, leaves, moved, symmetries
from spec.language.protocol.sorts import Family, Sort
from spec.language.protocol.states import Row, State, element_name

WORD: Final = 64
"""Bits of a word that a layout uses at most."""

PERMUTATIONS_MAX: Final = 720
"""How many permutations are tried at most for each state, where sorting is not enough."""

HOLE: Final = -1
"""Stands in a row for the element whose field it is in."""


@dataclass(frozen=True)
class Field:
    """Neighbouring bits of one word.

    Attributes:
        name: what it holds: the rows of an element, or rows of a relation.
        rows: one for each bit, lowest first.
    """

    name: str
    word: int
    shift: int
    rows: tuple[Key, ...]

    @property
    def width(self) -> int:
        """How many bits it has."""
        return len(self.rows)

    @property
    def mask(self) -> int:
        """Its bits, in its word."""
        return ((1 << self.width) - 1) << self.shift


Fields: TypeAlias = "tuple[Field, ...] | list[Fields]"
"""The fields of one element, or of blocks of them, which may be sorted."""


class Layout:
    """Where each possible row of a lowered world is, and which symmetry is used how.

    Args:
        lowering: the world.
        asked: which symmetry to use.
        word_bits: bits of a word that are used; fewer make more words.

    Attributes:
        fields: what the words consist of.
        bit: the number of each row's bit; the word it is in is this number divided by 64.
        sorted: fields that are sorted to make a state canonical.
        swaps: permutations of which each generates others; tried in the order of ``order``.
        order: numbers of swaps which, one after the other, show every permutation that sorting does not reach.
        permutations: how many states at most stand for the same canonical one.

    Raises:
        NoSymmetry: the symmetry that was asked for is none, or has too many permutations to be tried.
    """

    def __init__(self, lowering: Lowering, asked: Asked, word_bits: int = WORD) -> None:
        self.lowering, self.world, self.word_bits = lowering, lowering.world, word_bits
        self.fields: list[Field] = []
        self.sorted: list[Fields] = []
        self._filled: list[int] = []
        found = symmetries(self.world, asked)
        self.permutations = prod(one.order for one in found)
        by_sorting, by_trying = self._divided(found)
        rows = sorted(lowering.possible)
        for symmetry in by_sorting:
            for block in symmetry.blocks:
                placed = self._placed(symmetry.sort, block, rows)
                self.sorted += [placed] if any(fields_of(placed)) else []
        within = {key for field in self.fields for key in field.rows}
        self._place_rest([key for key in rows if key not in within])
        self.bit = {
            key: field.word * word_bits + field.shift + place
            for field in self.fields
            for place, key in enumerate(field.rows)
        }
        self.swaps, self.order = self._walk(by_trying)

    @property
    def bits(self) -> int:
        """How many rows are possible."""
        return len(self.bit)

    @property
    def words(self) -> int:
        """How many words a state has."""
        return max(1, len(self._filled))

    def pack(self, state: State) -> tuple[int, ...]:
        """A state as words.

        Raises:
            KeyError: it has a row that no move can set.
        """
        bits = sum(1 << self.bit[name, row] for name, rows in state.items() for row in rows)
        return tuple(bits >> self.word_bits * word & (1 << self.word_bits) - 1 for word in range(self.words))

    def unpack(self, words: Iterable[int]) -> State:
        """The state that words stand for."""
        bits = sum(int(word) << self.word_bits * place for place, word in enumerate(words))
        rows: dict[str, list[Row]] = {name: [] for name in self.world.protocol.relations}
        for (name, row), bit in self.bit.items():
            if bits >> bit & 1:
                rows[name].append(row)
        return State.of(rows)

    def masks(self, keys: Iterable[Key]) -> dict[int, int]:
        """The bits of these rows, by word."""
        found: defaultdict[int, int] = defaultdict(int)
        for key in keys:
            word, shift = divmod(self.bit[key], self.word_bits)
            found[word] |= 1 << shift
        return dict(sorted(found.items()))

    def _divided(self, found: Iterable[Symmetry]) -> tuple[list[Symmetry], list[Symmetry]]:
        """Symmetries that sorting deals with, and those of which every permutation is tried."""
        by_sorting: list[Symmetry] = []
        by_trying: list[Symmetry] = []
        for symmetry in found:
            taken = {one.sort for one in by_sorting}
            (by_sorting if self._sortable(symmetry.sort, taken) else by_trying).append(symmetry)
        if (tried := prod(one.order for one in by_trying)) > PERMUTATIONS_MAX:
            names = " and ".join(one.sort.__name__ for one in by_trying)
            raise NoSymmetry(
                f"{self.world.protocol.__name__}: rows relate elements of {names} to each other, so all of their "
                f"{tried} permutations would be tried for each state (at most {PERMUTATIONS_MAX}): "
                "use symmetry for fewer sorts, or for none"
            )
        return by_sorting, by_trying

    def _sortable(self, sort: type[Sort], taken: set[type[Sort]]) -> bool:
        """No possible row has two columns of the sort, a set of its elements, or a column of one sorted already."""
        for name in {name for name, _ in self.lowering.possible}:
            columns = self.world.protocol.relations[name].sorts
            sets = [column for column in columns if issubclass(column, Family) and column.element is sort]
            if columns.count(sort) > 1 or sets or (sort in columns and taken & set(columns)):
                return False
        return True

    def _placed(self, sort: type[Sort], block: Block, rows: list[Key]) -> Fields:
        """The fields of a block; all of its elements have rows of the same shapes."""
        columns = self.world.protocol.relations
        shapes: dict[Key, None] = {}
        first = leaves(block)[0]
        for name, row in rows:
            if sort in columns[name].sorts and row[(at := columns[name].sorts.index(sort))] == first:
                shapes[name, (*row[:at], HOLE, *row[at + 1 :])] = None
        ends = range(0, len(shapes), self.word_bits)
        parts = [list(shapes)[start : start + self.word_bits] for start in ends]
        placed: dict[int, list[Field]] = {leaf: [] for leaf in leaves(block)}
        for part in parts:
            for leaf in leaves(block):
                filled = tuple((name, tuple(leaf if e == HOLE else e for e in row)) for name, row in part)
                placed[leaf].append(self._place(element_name(sort, leaf), filled))
        return _shaped(block, placed)

    def _place(self, name: str, rows: tuple[Key, ...]) -> Field:
        """Put a field into the first word that has room for it."""
        fits = (word for word, filled in enumerate(self._filled) if filled + len(rows) <= self.word_bits)
        word = next(fits, len(self._filled))
        if word == len(self._filled):
            self._filled.append(0)
        field = Field(name, word, self._filled[word], rows)
        self._filled[word] += len(rows)
        self.fields.append(field)
        return field

    def _place_rest(self, rows: list[Key]) -> None:
        """Rows of no interchangeable element: relation after relation, wherever there is room."""
        while rows:
            name = rows[0][0]
            free = (self.word_bits - filled for filled in self._filled if filled < self.word_bits)
            room = next(free, self.word_bits)
            part = [key for key in rows if key[0] == name][:room]
            self._place(name, tuple(part))
            rows = rows[len(part) :]

    def _walk(self, by_trying: list[Symmetry]) -> tuple[list[list[tuple[int, int]]], list[int]]:
        """The swaps as pairs of bits, and the order in which they show every permutation."""
        loops = [
            [self._pairs(one.sort, swapped) for swapped in loop]
            for one in by_trying
            for block in one.blocks
            for loop in arrangements(block)
        ]
        walk = nested(loops)
        different = list(dict.fromkeys(walk))
        number = {pairs: place for place, pairs in enumerate(different)}
        return [list(pairs) for pairs in different], [number[pairs] for pairs in walk]

    def _pairs(self, sort: type[Sort], swapped: Swap) -> tuple[tuple[int, int], ...]:
        """The pairs of bits that a swap of elements exchanges."""
        moves = ((bit, self.bit[moved(self.world, sort, swapped, key)]) for key, bit in self.bit.items())
        return tuple(sorted((here, there) for here, there in moves if here < there))


def _shaped(block: Block, placed: dict[int, list[Field]]) -> Fields:
    return tuple(placed[block]) if isinstance(block, int) else [_shaped(part, placed) for part in block]


def fields_of(fields: Fields) -> Iterator[Field]:
    """All fields of a block."""
    for part in fields:
        if isinstance(part, Field):
            yield part
        else:
            yield from fields_of(part)
