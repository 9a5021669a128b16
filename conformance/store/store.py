"""The store: takes in what is new of a trace, judges again what that may have changed, and tells what it has found.

All that a batch leaves stands under names of its own until the state, replaced as a whole, names it. So a batch that
was interrupted has not been, and may come again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from secrets import token_hex
from shutil import rmtree
from typing import Any, Final, TypeAlias

from conformance.store.arrays import SUFFIX
from conformance.store.booked import RangesTogether, booked
from conformance.store.errors import NoStore, OtherTrace
from conformance.store.gaps import refuse_gaps
from conformance.store.lookups import answer_of
from conformance.store.numbers_seen import Stretches, count_of, together
from conformance.store.parts_kept import RangeFindings, read_gathered, read_part
from conformance.store.ranges import LENGTH, Range
from conformance.store.read_before import note_read, refuse_altered
from conformance.store.sources import Slice
from conformance.store.state import State, read_state, write_state
from conformance.store.telling import Settle, Told, read_violations, tell, write_violations
from conformance.store.version import version_of
from conformance.store.work import (
    Asked,
    Growing,
    Intake,
    Judging,
    Layer,
    Looking,
    SliceContents,
    gather_range,
    grow,
    growths,
    judge_range,
    take_in,
)
from conformance.trace.delta_writing import publish
from conformance.trace.errors import Duplicated
from conformance.trace.header import Header
from conformance.trace.header_json import header_to_json
from conformance.trace.keeping import with_recorder, without_recorder
from conformance.trace.watch import twice
from spec.columns.blocks import merge
from spec.columns.dimensions import Gathered, Tables, as_one_piece, dimensions_of, join_gathered
from spec.columns.plan import by_order
from spec.language.bookkeeping import NO_BOOKS
from spec.language.declare import Dimension
from spec.language.events import kinds
from spec.language.outcomes import Judgement
from spec.language.rule import Rule
from spec.verdicts import TraceVerdict, conclude, in_force

Workers: TypeAlias = Callable[[Callable[[Any], Any], Sequence[Any]], list[Any]]
"""What does some work on many things, in this process or in others, and gives what came of each in their order."""

TOLD: Final = "told"
"""The layer of what recorders told."""

TOGETHER: Final = 16
"""What so many ranges say of dimensions is joined once, and kept as long as none of them has changed."""

BOOKED: Final = "booked"
"""The layer of the same with what books say of it, in families that keep books."""


def here(work: Callable[[Any], Any], things: Sequence[Any]) -> list[Any]:
    """Workers in this process: one thing after the other."""
    return [work(thing) for thing in things]


@dataclass(frozen=True)
class Batch:
    """What came of a batch.

    Attributes:
        number: its number.
        events: how many events were new.
        doubled: how many came again, the same in everything.
        judged: how many ranges were judged, of ``ranges``.
        told: what is new.
    """

    number: int
    events: int
    doubled: int
    judged: int
    ranges: int
    told: Told


class Store:
    """A trace as it grows, and what is known of it.

    Args:
        folder: its own.
        header: the trace's.
        rules: those that are asked for, of which those of the trace's family are; None: all.
        workers: who does the work.
        length: events of a range at most.
        may_double: an event may come again, if it is the same in everything.

    Raises:
        OtherTrace: the store keeps another trace.
        NoStore: the folder holds something else, or a store that is damaged or lacks a file; or what the trace's family
            asks for cannot be kept.
    """

    def __init__(
        self,
        folder: Path,
        header: Header,
        rules: Sequence[Rule] | None = None,
        *,
        workers: Workers = here,
        length: int = LENGTH,
        may_double: bool = False,
    ) -> None:
        self.folder, self.workers, self.length, self.may_double = folder, workers, length, may_double
        self.header = without_recorder(header)
        self.asked = self.header.family.among(rules)
        self.rules = tuple(in_force(self.asked, self.header))
        self.layers = layers_of(self.header, self.rules)
        self.has_books = self.header.family.books is not NO_BOOKS
        self.version = version_of(self.rules)
        self.state = read_state(folder) or State(self.header)
        if header_to_json(self.state.header) != header_to_json(self.header):
            raise OtherTrace("another trace", "the header is not that of the store", "one store for a trace").at(folder)
        for name in ("events", "found", "new"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        self.violations = read_violations(folder / "violations", self.state.batch)
        refuse_gaps(folder, self.state, len(self.violations))
        publish(folder / "violations")
        self.judgement = Judgement()
        self._parts: dict[str, RangeFindings] = {}
        self._gathered: dict[str, list[Gathered]] = {}
        self._joined: dict[tuple[str, ...], Gathered] = {}

    def append(
        self,
        slices: Sequence[Slice],
        settle: Settle = Settle(),  # noqa: B008 - it does not change
        *,
        is_whole: bool = False,
        books: bool = True,
        stream: int | None = None,
    ) -> Batch:
        """Take in what is new and judge what that may have changed.

        Keeping books takes all that was told, so it may be left for later: what hangs on them is unknown until then.

        Args:
            slices: what is new.
            settle: how long a violation must have stood before it is told.
            is_whole: nothing more is expected for now, so whatever stands is told.
            books: keep them, where the trace's family has any.
            stream: the number by which a stream calls this batch; one that was taken in before is not taken in again.

        Raises:
            TraceError: one of its kinds, for whatever is wrong with what is new; the store is as it was.
        """
        again = stream is not None and stream <= self.state.stream
        state, number = self._next(), self.state.batch + 1
        doubled = 0 if again else self._take_in(state, slices)
        is_sure = self._keep_books(state) if books else not self.has_books
        judged = self._judge(state, number, is_sure=is_sure)
        standing = self.judgement.violations
        if not is_sure:
            standing = standing | state.by_books
        elif self.has_books:
            state.by_books = standing
        told = tell(state, self.violations, standing, settle, is_whole=is_whole, is_sure=is_sure)
        state.batch, state.stream = number, self.state.stream if stream is None else max(stream, self.state.stream)
        written = write_violations(self.folder / "violations", number, told.violations)
        write_state(self.folder, state)
        if written:
            publish(self.folder / "violations", written)
        events, self.state = state.events - self.state.events, state
        self.violations |= set(told.violations)
        self._remove_what_nobody_names()
        ranges = sum(len(state.parts[layer.name]) for layer in self._judged(is_sure=is_sure))
        return Batch(number, events, doubled, judged, ranges, told)

    def verdict(self, *, kept: int = 20) -> TraceVerdict:
        """What the rules say of all that was taken in, once a batch was judged; it keeps so many violations of each."""
        return conclude(self.asked, self.judgement, self.header, keep_violations=kept)

    @property
    def waiting(self) -> int:
        """How many rows of all ranges wait for others, or are waited for."""
        return sum(part.summary.waiting for part in self._parts.values())

    def events(self) -> RangesTogether:
        """All events in the trace's order."""
        is_booked = self.has_books and self.state.booked == self.state.events
        ranges = self.state.layers[BOOKED if is_booked else TOLD]
        return RangesTogether(self.folder / "events", ranges, in_order=True)

    def _next(self) -> State:
        """A state to go on with: what it holds may change."""
        old = self.state
        return replace(
            old, read=dict(old.read), layers=dict(old.layers), parts={name: dict(p) for name, p in old.parts.items()}
        )

    def _take_in(self, state: State, slices: Sequence[Slice]) -> int:
        """Put new events where they belong; gives how many came again."""
        refuse_altered(self.state.read, slices)
        told = [layer for layer in self.layers if layer.name != BOOKED]
        before = {layer.name: state.layers.get(layer.name) or [Range(None, "", 0)] for layer in told}
        firsts = {name: tuple(r.first for r in ranges if r.first is not None) for name, ranges in before.items()}
        new = self.folder / "new" / token_hex(8)  # its own: tasks of a killed driver may still leave something
        new.mkdir()
        intake = Intake(self.header, tuple((layer, firsts[layer.name]) for layer in told), new)
        taken: list[SliceContents] = self.workers(partial(take_in, intake), slices)
        note_read(state, taken)
        doubled = self._note_numbers(state, taken)
        growing = Growing(self.folder / "events", self.header, self.length)
        for layer in told:
            again = self._grow(state, layer, before[layer.name], taken, growing)
            if layer.name == TOLD and again != doubled:
                raise _contradicted(state.numbers, taken)
        return doubled

    def _keep_books(self, state: State) -> bool:
        """Keep books of all that was told, if there is more than when they were last kept; they are kept then."""
        if self.has_books and state.events > state.booked:
            growing = Growing(self.folder / "events", with_recorder(self.header), self.length)
            trace = RangesTogether(growing.folder, state.layers[TOLD], in_order=False)
            was = state.layers.get(BOOKED, [])
            state.layers[BOOKED] = list(booked(trace, was, growing, self.header.sorted_by))
            state.booked = state.events
        return True

    def _note_numbers(self, state: State, taken: Sequence[SliceContents]) -> int:
        """Take note of the numbers of new events; gives how many were there before."""
        state.numbers = together([self.state.numbers, *(one.numbers for one in taken)])
        count = count_of(state.numbers)
        doubled = self.state.events + sum(one.events for one in taken) - count
        if doubled and not self.may_double:
            raise _contradicted(self.state.numbers, taken)
        state.events, state.doubled = count, state.doubled + doubled
        state.latest_ns = max([state.latest_ns, *(one.latest_ns for one in taken)])
        return doubled

    def _grow(
        self, state: State, layer: Layer, before: Sequence[Range], taken: Sequence[SliceContents], growing: Growing
    ) -> int:
        """Let the ranges of a layer grow; gives how many events came again."""
        sheaves = (sheaf for one in taken for sheaf in one.sheaves.get(layer.name, ()))
        parts = list(growths(layer, before, sheaves, self.length))
        grown = iter(self.workers(partial(grow, growing), [one for some in parts for one in some]))
        doubled, ranges = 0, list[Range]()
        for one, some in zip(before, parts, strict=True):
            found = [next(grown) for _ in some]
            doubled += sum(part.doubled for part in found)
            ranges += chain.from_iterable(part.ranges for part in found) if some else [one]
        filled = [one for one in ranges if one.rows]
        state.layers[layer.name] = [replace(one, first=None) for one in filled[:1]] + filled[1:]
        return doubled

    def _judge(self, state: State, number: int, *, is_sure: bool) -> int:
        """Judge what may have changed, and join all that is known; gives how many ranges were judged.

        Where books are kept, what they say is judged, else what was told.
        """
        header = with_recorder(self.header)
        layers = self._judged(is_sure=is_sure)
        tables = self._tables(state.layers.get(layers[-1].name if self.has_books else TOLD, ()), header)
        judging = Judging(self.folder / "events", self.folder / "found", header, tables)
        work: list[Asked] = []
        whole, parts = Judgement(), dict(state.parts) if state.version == self.version else {}
        for layer in layers:
            known = parts.get(layer.name, {})
            parts[layer.name] = mine = dict[str, str]()
            for one in state.layers.get(layer.name, ()) if layer.rules else ():
                name = known.get(one.content, "")
                if not self._stands(name, one, tables):
                    name = f"{_name(layer.name, one, self.version)}-{number}{SUFFIX}"
                    work.append(Asked(layer, one, name))
                mine[one.content] = name
        self.workers(partial(judge_range, judging), work)
        for layer in layers:
            summaries = [self._part(name).summary for name in parts[layer.name].values()]
            if summaries:
                whole.merge(merge(layer.rules, summaries, header.parameters(), tables, close=True).judgement)
        self.judgement, state.parts, state.version = whole, parts, self.version
        return len(work)

    def _judged(self, *, is_sure: bool) -> list[Layer]:
        """The layers that are judged: of what was told and what books say only one."""
        other = TOLD if self.has_books and is_sure else BOOKED
        return [layer for layer in self.layers if layer.name != other]

    def _stands(self, name: str, range_: Range, tables: Tables) -> bool:
        """Whether a part that is known would still say the same."""
        if not name:
            return False
        part = self._part(name)
        return part.summary.begins is (range_.first is None) and answer_of(part.asked, tables) == part.answer

    def _part(self, name: str) -> RangeFindings:
        if name not in self._parts:
            self._parts[name] = read_part(self.folder / "found" / name)
        return self._parts[name]

    def _tables(self, ranges: Iterable[Range], header: Header) -> Tables:
        """What rows look up, from what each of these ranges says of it."""
        dimensions = dimensions_of(self.rules)
        names = {_name("tables", one, self.version): one for one in ranges} if dimensions else {}
        folder = self.folder / "found"
        looking = Looking(self.folder / "events", folder, header, self.rules)
        lacking = [(one, f"{name}{SUFFIX}") for name, one in names.items() if not (folder / f"{name}{SUFFIX}").exists()]
        self.workers(partial(gather_range, looking), lacking)
        self._gathered = {
            name: self._gathered.get(name) or read_gathered(folder / f"{name}{SUFFIX}", dimensions) for name in names
        }
        every = tuple(names)
        groups = [every[first : first + TOGETHER] for first in range(0, len(every), TOGETHER)]
        self._joined = {group: self._joined.get(group) or self._join(dimensions, group) for group in groups}
        return join_gathered(dimensions, self._joined.values(), header.parameters())

    def _join(self, dimensions: Sequence[type[Dimension]], names: Sequence[str]) -> Gathered:
        return as_one_piece(dimensions, chain.from_iterable(self._gathered[name] for name in names))

    def _remove_what_nobody_names(self) -> None:
        """Remove the files that neither the state nor the next batch needs."""
        for path in (self.folder / "new").iterdir():
            rmtree(path, ignore_errors=True)
        files = self.state.files()
        self._parts = {name: part for name, part in self._parts.items() if name in files["found"]}
        files["found"] |= {f"{name}{SUFFIX}" for name in self._gathered}
        for folder, named in files.items():
            for path in (self.folder / folder).iterdir():
                if path.name not in named:
                    path.unlink(missing_ok=True)


def layers_of(header: Header, rules: Sequence[Rule]) -> tuple[Layer, ...]:
    """The layers of a trace: what was told, what is sorted otherwise, and last what books say.

    Raises:
        NoStore: the family keeps books and asks for several orders.
    """
    orders = {order: tuple(mine) for order, mine in by_order(rules).items()}
    own = orders.pop(header.sorted_by, ())
    has_books = header.family.books is not NO_BOOKS
    if has_books and orders:
        raise NoStore("books and several orders", "a store keeps one of the two", "quorate check without --store")
    others = [
        Layer(order.place, order, tuple({kind for rule in mine for kind in kinds(rule.view.events)}), mine)
        for order, mine in orders.items()
    ]
    told = Layer(TOLD, header.sorted_by, None, own)
    return (told, *others, *([Layer(BOOKED, header.sorted_by, None, own)] if has_books else []))


def _contradicted(numbers: Stretches, taken: Iterable[SliceContents]) -> Duplicated:
    """The error for events of one name: in the store and in what is new, or twice in what is new."""
    known = numbers
    for one in taken:
        for recorder, stretches in one.numbers.items():
            for first, last in stretches:
                for low, high in known.get(recorder, ()):
                    if low <= last and first <= high:
                        return twice(recorder, max(low, first)).at(one.slice.path)
        known = together([known, one.numbers])
    return twice("", 0)


def _name(what: str, range_: Range, version: str) -> str:
    """A name that follows from a range's content, from where it stands, and from the version of rules."""
    said = f"{range_.content} {range_.first is None} {version}"
    return f"{what}-{blake2b(said.encode(), digest_size=16).hexdigest()}"
