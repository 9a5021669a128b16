"""Each planted violation is told exactly once, whenever the watching process or one of its workers is killed.

Justified by Structured Streaming's contract of ``foreachBatch``: a batch that was interrupted comes again under its
number. So what it leaves must not be there twice.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest
from _pytest.config import Config

from conformance.store.errors import Altered
from conformance.store.monitor import Monitor
from conformance.store.state import read_state
from conformance.store.store import Store
from conformance.store.telling import Settle
from conformance.trace.delta import files_of
from spark_checks.stream import FolderStream
from spark_checks.watching import watch
from tests.support.kills import Watching
from tests.support.planted import HEADER, events, slices, truth, violations_in, write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow

FORMS = ("parquet", "jsonl", "jsonl.zst")


def seed_of(config: Config) -> int:
    return int(str(config.option.hypothesis_seed))


class Feeding:
    """A folder that gets the slices of the planted trace one by one, in files of any form."""

    def __init__(self, folder: Path, rng: Random, number: int) -> None:
        self.source, self.rng, self.fed = folder / "source", rng, 0
        self.source.mkdir()
        self.rest = list(enumerate(slices(rng, number)))
        more_than_any_comes_late = 4 * len(events()) // number
        self.live = ("--settle", str(more_than_any_comes_late), "--every", "0")

    def feed(self) -> bool:
        """Add the next file; False if there is none."""
        if not self.rest:
            return False
        number, some = self.rest.pop(0)
        self.fed += len(some)
        if some:
            write(self.source / f"{number:03}.{self.rng.choice(FORMS)}", some)
        return True

    def finish(self, store: Path) -> None:
        """Feed all that is left, let it be judged, and see whether all is told once."""
        while self.feed():
            pass
        last = Watching(self.source, store, *self.live, "--once")
        assert not last.until(lambda: False)
        assert violations_in(store) == sorted(truth())
        assert files_of(store / "violations") == sorted((store / "violations").glob("*.parquet"))
        state = read_state(store)
        assert state is not None
        assert (state.events, state.doubled, len(state.late), len(state.pending)) == (len(events()), 0, 0, 0)


def taken_in(store: Path) -> int:
    """How many events a store has."""
    state = read_state(store)
    return 0 if state is None else state.events


def either(one: Callable[[], bool], other: Callable[[], bool]) -> Callable[[], bool]:
    return lambda: one() or other()


@pytest.mark.costly("a process with Java for each kill")
@pytest.mark.parametrize("kills", [1, pytest.param(20, marks=pytest.mark.thorough)])
def test_the_driver_is_killed(tmp_path: Path, kills: int, pytestconfig: Config) -> None:
    rng = Random(seed_of(pytestconfig))
    feeding, store = Feeding(tmp_path, rng, kills + 4), tmp_path / "store"
    for kill in range(kills):
        feeding.feed()
        watching = Watching(feeding.source, store, *feeding.live)
        point = rng.randrange(1, 25)
        assert watching.until(either(watching.after_files(point), lambda: taken_in(store) == feeding.fed))
        watching.kill()
        print(f"kill {kill} after {point} files")
    feeding.finish(store)


@pytest.mark.costly("a process with Java, whose workers are killed")
@pytest.mark.parametrize("kills", [1, pytest.param(20, marks=pytest.mark.thorough)])
def test_a_worker_is_killed(tmp_path: Path, kills: int, pytestconfig: Config) -> None:
    rng = Random(seed_of(pytestconfig) + 1)
    no_worker_may_be_there = kills
    feeding, store = Feeding(tmp_path, rng, kills + 4 + no_worker_may_be_there), tmp_path / "store"
    feeding.feed()
    watching, done = Watching(feeding.source, store, *feeding.live), 0
    while done < kills and feeding.feed():
        point = rng.randrange(1, 8)
        is_on = watching.until(either(watching.after_files(point), lambda: taken_in(store) == feeding.fed))
        assert is_on, watching.last_words
        done += watching.kill_a_worker(rng)
        print(f"kill {done} after {point} files")
    watching.kill()
    assert done == kills
    feeding.finish(store)


@pytest.mark.together("spark")
def test_a_file_that_has_changed_ends_it(
    tmp_path: Path, spark: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    """Spark looks at the folder in a process of its own, whose errors come as text: it is looked at again."""
    stream, path = FolderStream(tmp_path / "source"), tmp_path / "source" / "a.jsonl"
    stream.path.mkdir()
    write(path, events()[:20])
    monitor = Monitor(Store(tmp_path / "store", HEADER, may_double=True), stream, Settle(), quiet=True)
    watch(spark, stream, tmp_path / "checkpoint", monitor, once=True, every_s=0)
    assert (monitor.store.state.events, monitor.lag) == (20, 0)
    write(stream.path / "b.jsonl", events()[20:30])
    assert monitor.lag == (stream.path / "b.jsonl").stat().st_size
    (stream.path / "b.jsonl").unlink()
    path.rename(stream.path / "elsewhere.unfinished")
    assert monitor.lag == (stream.path / "elsewhere.unfinished").stat().st_size
    (stream.path / "elsewhere.unfinished").rename(path)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(Altered, match="may only get more lines"):
        watch(spark, stream, tmp_path / "checkpoint", monitor, once=True, every_s=0)
    assert capsys.readouterr().err == ""


@pytest.mark.thorough
@pytest.mark.costly("a process with Java for each interruption")
@pytest.mark.parametrize(
    "point",
    [pytest.param(0, id="at rest"), pytest.param(1, id="at the first file"), pytest.param(12, id="within a batch")],
)
def test_ctrl_c_ends_it_with_the_verdict(tmp_path: Path, point: int, pytestconfig: Config) -> None:
    """docs/how-to/watch-a-live-log.md: and started again with the same store, it goes on where it was."""
    rng = Random(seed_of(pytestconfig) + 2)
    feeding, store = Feeding(tmp_path, rng, 4), tmp_path / "store"
    feeding.feed()
    watching = Watching(feeding.source, store, *feeding.live)
    assert watching.until(lambda: taken_in(store) == feeding.fed)
    if point:
        feeding.feed()
        assert watching.until(watching.after_files(point))
    assert watching.interrupt() in (0, 1, 2)
    said = watching.said.read_text()
    assert said.splitlines()[-1].startswith("verdict: ")
    assert "Traceback" not in said
    assert "ERROR" not in said
    feeding.finish(store)
