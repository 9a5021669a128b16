"""Breadth-first search through every state of a world, by the fastest reading at hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from reference_impl.kernel.explorer.columns import U
from reference_impl.kernel.explorer.compiling import Functions, functions
from reference_impl.kernel.explorer.engine import Engine, Stopped
from reference_impl.kernel.explorer.folder import FolderRecord
from reference_impl.kernel.explorer.numpy_engine import NumpyEngine
from reference_impl.kernel.explorer.record import MemoryRecord, Record, levels_of
from reference_impl.kernel.explorer.result import Progress, Result
from reference_impl.kernel.explorer.run_engine import RunEngine
from reference_impl.kernel.explorer.trace import explained, shortest
from reference_impl.kernel.explorer.visited import SpillingVisited, Visited
from reference_impl.kernel.explorer.watch import Watch
from spec.explore.layout import Layout
from spec.explore.lowering import Checked, Lowering
from spec.explore.symmetry import Asked
from spec.language.protocol.world import World

EngineChoice: TypeAlias = Literal["auto", "numpy", "numba", "run"]
"""``numpy`` starts at once; ``numba`` is faster once compiled; ``run`` is the run reading, slow, as a yardstick.
``auto`` begins with numpy and goes on with numba, where that is installed, once the search is worth compiling for."""

WORTH_COMPILING_S: Final = 20.0
"""A search that has taken so many CPU seconds goes on compiled."""


class CannotExplore(ValueError):
    """The engine that was asked for is not installed, or cannot do what was asked."""


def explore(  # noqa: PLR0913 - each is a word of its own to whoever asks
    world: World,
    *,
    symmetry: Asked = False,
    engine: EngineChoice = "auto",
    checked: Checked = "goal",
    budget_s: float | None = None,
    states: int | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
    memory_bytes: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Result:
    """Every state that a text can reach in a finite world, or a shortest run to one in which something is wrong.

    Args:
        world: the text and its sizes.
        symmetry: count states that differ by exchanging equals once: of every sort, or of these sorts.
        engine: what does the work.
        checked: which clauses must hold in every state; what the text assumes must hold anyway.
        budget_s: CPU seconds that this run may take; it then ends with what it has, incomplete.
        states: so many distinct states are enough; looked at after each level.
        checkpoint: a folder that keeps every level, so that a search can be resumed whatever ended it.
        resume: go on with the search in that folder. Its counts and its CPU seconds are carried on.
        memory_bytes: bounds what the numpy engine keeps of the states seen; the rest is looked up on disk, in the
            checkpoint or in a temporary folder. The level under work and the next level are always in memory.
        progress: is told how far the search is, at most every half second.

    Raises:
        NoSymmetry: the symmetry that was asked for is none, or has too many permutations.
        BadCheckpoint: the folder holds another search or a damaged one, or one already, or none to resume.
        CannotExplore: numba is not installed, or an engine cannot do what was asked.
    """
    _possible(engine, symmetry=symmetry, resume=resume, checkpoint=checkpoint, memory_bytes=memory_bytes)
    layout = Layout(Lowering(world, checked), symmetry)
    with _folder(checkpoint, needed=memory_bytes is not None) as folder:
        found = Search(layout, folder, memory_bytes, resume=resume)
        return found.run(engine, Watch(budget_s, states, progress, found.record.cpu_s))


class Search:
    """One search: its functions and its record.

    Args:
        layout: of the world.
        folder: keeps the levels; None for memory.
        memory_bytes: how much of what was seen stays in memory; needs a folder.
        resume: go on with what is in the folder.
    """

    def __init__(
        self, layout: Layout, folder: Path | None = None, memory_bytes: int | None = None, *, resume: bool = False
    ) -> None:
        self.layout, self.made = layout, functions(layout)
        self.memory_bytes = memory_bytes
        self.record: Record = MemoryRecord()
        if folder is not None:
            self.record = FolderRecord(folder, layout.words, fingerprint(self.made), resume=resume)
        if not self.record.sizes:
            self.record.append(np.array([layout.pack(layout.world.start)], U).T.copy(), 0, 0.0)

    def run(self, choice: EngineChoice, watch: Watch) -> Result:
        """Search until everything is seen, something is wrong, or a budget ends."""
        engine = self._engine(choice)
        watch.begin()
        for known in levels_of(self.record):
            engine.remember(known)
        record = self.record
        while True:
            try:
                watch.level(record.sizes, record.transitions)
                level = engine.expand(record[len(record.sizes) - 1], watch.tick)
            except Stopped:
                return self._result(engine, watch, record.transitions, complete=False)
            transitions = record.transitions + level.transitions
            if level.wrong is not None:
                way = shortest(self.layout, self.made, record, len(record.sizes) - 1, level.wrong)
                broken, trace = explained(self.layout.world, self.layout.lowering.checked, way)
                return self._result(engine, watch, transitions, complete=False, broken=broken, trace=trace)
            if level.states.shape[1] == 0:
                return self._result(engine, watch, transitions, complete=True)
            record.append(level.states, transitions, watch.cpu_s)
            if choice == "auto" and engine.name == "numpy" and self._worth_compiling(watch):
                engine = self._engine("numba")
                for known in levels_of(record):
                    engine.remember(known)

    def _engine(self, choice: EngineChoice) -> Engine:
        if choice == "run":
            return RunEngine(self.layout)
        if choice == "numba":
            from reference_impl.kernel.explorer.numba_engine import NumbaEngine  # noqa: PLC0415 - may be absent

            return NumbaEngine(self.layout)
        if self.memory_bytes is not None and isinstance(self.record, FolderRecord):
            return NumpyEngine(self.layout, self.made, SpillingVisited(self.record, self.memory_bytes))
        return NumpyEngine(self.layout, self.made, Visited())

    def _worth_compiling(self, watch: Watch) -> bool:
        return watch.cpu_s > WORTH_COMPILING_S and self.memory_bytes is None and has_numba()

    def _result(self, engine: Engine, watch: Watch, transitions: int, **ended: Any) -> Result:
        sizes = tuple(self.record.sizes)
        return Result(
            distinct=sum(sizes),
            transitions=transitions,
            depth=len(sizes) - 1,
            cpu_s=watch.cpu_s,
            levels=sizes,
            engine=engine.name,
            bits=self.layout.bits,
            permutations=self.layout.permutations,
            **ended,
        )


def fingerprint(made: Functions) -> str:
    """Tells searches apart that do not compute the same."""
    source = made.source
    return sha256(repr((source.text, source.order, source.fields)).encode()).hexdigest()


def has_numba() -> bool:
    """Whether the compiled engine can be had."""
    return find_spec("numba") is not None


def _possible(
    engine: EngineChoice, *, symmetry: Asked, resume: bool, checkpoint: Path | None, memory_bytes: int | None
) -> None:
    if engine == "numba" and not has_numba():
        raise CannotExplore("the engine numba needs the package numba: install quorate[compiled], or use engine numpy")
    if engine == "run" and symmetry:
        raise CannotExplore("the engine run knows no symmetry: use engine numpy, or search without symmetry")
    if engine in ("run", "numba") and memory_bytes is not None:
        raise CannotExplore(f"the engine {engine} keeps all states in memory: use engine numpy, or no bound on memory")
    if resume and checkpoint is None:
        raise CannotExplore("a search can be resumed only from a checkpoint: name its folder")


@contextmanager
def _folder(checkpoint: Path | None, *, needed: bool) -> Iterator[Path | None]:
    """The folder that keeps the levels, if any."""
    if checkpoint is not None or not needed:
        yield checkpoint
        return
    with TemporaryDirectory(prefix="quorate-explore-") as name:
        yield Path(name)
