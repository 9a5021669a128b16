"""A search that was ended, by a budget or by a kill, goes on and counts the same; foreign and damaged folders do not.

Justification: each level is written under a temporary name and renamed, and the manifest that names it likewise, so
what the manifest names is always whole.
"""

import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reference_impl.kernel.explorer import folder, numpy_engine
from reference_impl.kernel.explorer.folder import MANIFEST, BadCheckpoint
from reference_impl.kernel.explorer.result import Progress, Result
from reference_impl.kernel.explorer.search import CannotExplore, explore
from spec.language.protocol import World
from spec.protocols.recovery import cluster
from spec.protocols.recovery_variants import LowestWins
from tests.support.explored import Counting, Person, Place, Team, Voting, pairs

WORLD = cluster(3, 2, 1, 2)
STATES = 727_616
TRANSITIONS = 3_715_280


def counts(result: Result) -> tuple[int, int, int, bool]:
    """What a resumed search must share with an undisturbed one."""
    return result.distinct, result.transitions, result.depth, result.complete


def started(path: Path, states: int | None = STATES // 2) -> Result:
    """A search that ends about half way."""
    result = explore(WORLD, engine="numpy", checkpoint=path, states=states)
    assert not result.complete
    return result


def test_a_budget_of_states_ends_and_resumes(tmp_path: Path) -> None:
    """Half now, the rest later, the same in the end."""
    half = started(tmp_path)
    assert STATES // 2 <= half.distinct < STATES
    rest = explore(WORLD, engine="numpy", checkpoint=tmp_path, resume=True)
    assert counts(rest) == (STATES, TRANSITIONS, 25, True)
    assert rest.cpu_s > half.cpu_s


def test_a_budget_of_seconds_ends_cleanly(tmp_path: Path) -> None:
    """No time is enough for nothing but the start, and that can be resumed too."""
    result = explore(WORLD, engine="numpy", checkpoint=tmp_path, budget_s=0.0)
    assert counts(result) == (1, 0, 0, False)
    assert counts(explore(WORLD, engine="numpy", checkpoint=tmp_path, resume=True))[:2] == (STATES, TRANSITIONS)


def test_a_killed_search_resumes(tmp_path: Path) -> None:
    """SIGKILL at about half: nothing could be tidied up."""
    program = (
        "import sys; from pathlib import Path; from reference_impl.kernel.explorer import search, watch\n"
        "from spec.protocols.recovery import cluster\n"
        "watch.REPORT_S = 0\n"
        "def half(now):\n"
        f"    if now.distinct > {STATES // 2}: print(now.distinct, flush=True), sys.stdin.read()\n"
        "search.explore(cluster(3, 2, 1, 2), engine='numpy', checkpoint=Path(sys.argv[1]),\n"
        "    progress=half)\n"
    )
    call = [sys.executable, "-c", program, str(tmp_path)]
    with subprocess.Popen(call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert STATES // 2 < int(child.stdout.readline()) < STATES
        child.send_signal(signal.SIGKILL)
    (tmp_path / "level_0099.zst.part").write_bytes(b"half of a level that was being written")
    assert child.returncode == -signal.SIGKILL
    assert counts(explore(WORLD, engine="numpy", checkpoint=tmp_path, resume=True)) == (STATES, TRANSITIONS, 25, True)


def test_a_finished_search_resumes_to_its_end(tmp_path: Path) -> None:
    """Nothing is left to do but the last level."""
    done = explore(cluster(3, 2, 1, 1), engine="numpy", checkpoint=tmp_path)
    again = explore(cluster(3, 2, 1, 1), engine="numpy", checkpoint=tmp_path, resume=True)
    assert counts(done) == counts(again) == (2_840, 12_227, 15, True)


def test_a_trace_is_found_after_a_resumption(tmp_path: Path) -> None:
    """The levels before the kill are on disk; the trace leads through them."""
    world = replace(WORLD, protocol=LowestWins)
    explore(world, engine="numpy", checkpoint=tmp_path, states=500)
    result = explore(world, engine="numpy", checkpoint=tmp_path, resume=True)
    assert result.trace is not None
    assert len(result.trace.steps) == 10


@pytest.mark.parametrize("symmetry", [False, True])
def test_little_memory_is_enough(tmp_path: Path, symmetry: bool) -> None:
    """What was seen is looked up on disk, in a named folder or in a temporary one."""
    for place in (tmp_path, None):
        result = explore(WORLD, engine="numpy", symmetry=symmetry, checkpoint=place, memory_bytes=100_000)
        assert result.distinct == (124_464 if symmetry else STATES)
        assert result.complete


@pytest.mark.parametrize("block", [pytest.param(1, marks=pytest.mark.slow), 5, 1 << 18])
@pytest.mark.parametrize(
    "world",
    [cluster(3, 2, 1, 1), World(Voting, {Person: 3}, {Team: pairs(3)}), World(Counting, {Person: 2, Place: 40})],
    ids=["recovery", "back to the start", "two words"],
)
def test_blocks_of_any_size(world: World, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing in memory, few states in a block, and successors in small batches: the same counts."""
    expected = explore(world, engine="numpy")
    monkeypatch.setattr(folder, "BLOCK", block)
    monkeypatch.setattr(numpy_engine, "PENDING", block)
    monkeypatch.setattr(numpy_engine, "CHUNK", 16)
    found = explore(world, engine="numpy", memory_bytes=0)
    assert (found.levels, found.transitions) == (expected.levels, expected.transitions)


def test_runs_on_disk_are_small(tmp_path: Path) -> None:
    """Less than a byte for each state of eight bytes."""
    explore(WORLD, engine="numpy", checkpoint=tmp_path)
    assert sum(path.stat().st_size for path in tmp_path.glob("level_*")) < STATES


def truncated(path: Path) -> None:
    largest = max(path.glob("level_*"), key=lambda one: one.stat().st_size)
    largest.write_bytes(largest.read_bytes()[:-10])


def flipped(path: Path) -> None:
    largest = max(path.glob("level_*"), key=lambda one: one.stat().st_size)
    data = bytearray(largest.read_bytes())
    data[len(data) // 2] ^= 4
    largest.write_bytes(data)


def removed(path: Path) -> None:
    max(path.glob("level_*"), key=lambda one: one.stat().st_size).unlink()


def no_manifest(path: Path) -> None:
    (path / MANIFEST).unlink()


def half_a_manifest(path: Path) -> None:
    text = (path / MANIFEST).read_text()
    (path / MANIFEST).write_text(text[: len(text) // 2])


def another_number(path: Path) -> None:
    text = (path / MANIFEST).read_text()
    (path / MANIFEST).write_text(text.replace('"transitions": ', '"transitions": 1'))


def no_text(path: Path) -> None:
    (path / MANIFEST).write_bytes(b"\xff\xfe\x00")


def another_shape(path: Path) -> None:
    (path / MANIFEST).write_text("[1, 2]")


@pytest.mark.parametrize(
    "damage", [truncated, flipped, removed, no_manifest, half_a_manifest, another_number, no_text, another_shape]
)
def test_damage_is_named(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    """Never a crash, and never other counts."""
    started(tmp_path)
    damage(tmp_path)
    with pytest.raises(BadCheckpoint, match=r"damaged|cannot be read|no search"):
        explore(WORLD, engine="numpy", checkpoint=tmp_path, resume=True)


@pytest.mark.parametrize(
    "other",
    [
        {"world": cluster(3, 2, 1, 1)},
        {"symmetry": True},
        {"checked": "invariant"},
        {"world": cluster(3, 2, 1, 2, payloads=2)},
    ],
)
def test_another_search_is_not_mixed_in(tmp_path: Path, other: dict[str, Any]) -> None:
    """Another world, another symmetry, other clauses: each is another search."""
    started(tmp_path)
    asked: dict[str, Any] = {"world": WORLD, "engine": "numpy", "checkpoint": tmp_path, "resume": True}
    with pytest.raises(BadCheckpoint, match="another search"):
        explore(**asked | other)


def test_a_search_is_not_overwritten(tmp_path: Path) -> None:
    """Hours of work are not lost to a forgotten word."""
    started(tmp_path)
    with pytest.raises(BadCheckpoint, match="resume"):
        explore(WORLD, engine="numpy", checkpoint=tmp_path)


def test_what_cannot_be_is_refused() -> None:
    """Each with what to do instead."""
    with pytest.raises(CannotExplore, match="folder"):
        explore(WORLD, resume=True)
    with pytest.raises(CannotExplore, match="numpy"):
        explore(WORLD, engine="run", memory_bytes=1)
    with pytest.raises(CannotExplore, match="symmetry"):
        explore(WORLD, engine="run", symmetry=True)


def test_progress_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts that only grow, and in the end an estimate near the truth."""
    monkeypatch.setattr("reference_impl.kernel.explorer.watch.REPORT_S", 0.0)
    seen: list[Progress] = []
    explore(WORLD, engine="numpy", progress=seen.append)
    assert [now.distinct for now in seen] == sorted(now.distinct for now in seen)
    assert all(now.expanded <= now.frontier for now in seen)
    last = seen[-1].estimate
    assert last is not None
    assert 0.9 * STATES < last < 1.1 * STATES
