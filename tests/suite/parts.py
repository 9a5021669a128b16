"""Runs the parts of the test suite one after the other, and tells at the end what they cost and caught.

``python -m tests.suite.parts test`` is what ``make test`` runs. Source: CONTRIBUTING.md, which names each command.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import rmtree
from typing import Final

from tests.suite.caught import PAGE, Mark, differences, marks_of, page
from tests.suite.costs import LIMIT_SHARE, Cost, failures, summary, unexplained

ROOT: Final = Path(__file__).parents[2]
FOUND: Final = ROOT / "build" / "tests" / "found"
SUBREAPER: Final = 36
"""PR_SET_CHILD_SUBREAPER of Linux: whoever loses its parent is given to us, so that its CPU time counts."""

Command = Sequence[str]
Lane = Sequence[Command]
"""Programs that run one after the other."""


def tool(name: str, *words: str) -> Command:
    """A program of this environment."""
    return [str(Path(sys.executable).with_name(name)), *words]


def tests(name: str, chosen: str, *words: str) -> Command:
    """The tests that a marker expression chooses, in one process; what they cost and caught is left under a name."""
    return [sys.executable, "-m", "pytest", "-m", chosen, "--found", str(FOUND / f"{name}.json"), *words]


SYSTEMS: Final = "(spark or real)"
SPREAD: Final = ("--numprocesses", "auto", "--dist", "loadgroup")
"""Over all processors."""
PATIENT: Final = ("-o", "faulthandler_timeout=5400")
"""Where a test may take long, it takes longer until it counts as hanging; in seconds."""

STATIC: Final[Mapping[str, Sequence[Lane]]] = {
    "lint": [[tool("ruff", "check")], [tool("ruff", "format", "--check")]],
    "types": [[tool("mypy")], [tool("pyright")]],
}
FAST: Final[Sequence[Lane]] = [[tests("fast", f"not thorough and not slow and not {SYSTEMS}", *SPREAD)]]
"""What ``make fast`` runs, and ``make test`` as well."""
SUITES: Final[Mapping[str, Mapping[str, Sequence[Lane]]]] = {
    "fast": {"fast": FAST},
    "test": {
        **STATIC,
        "Java": [[[sys.executable, "-m", "tests.support.spark_classes"]]],
        "fast": FAST,
        # Spark and real systems wait for much, and leave processors idle.
        "systems, slow": [
            [tests("spark", "spark and not thorough", "--files-with", "spark")],
            [
                tests("real", "real and not thorough", "--files-with", "real"),
                tests("slow", f"slow and not thorough and not {SYSTEMS}", "--files-with", "slow", *SPREAD),
            ],
        ],
    },
    "thorough": {
        "thorough": [
            [tests("thorough", "thorough or hypothesis", "--hypothesis-profile", "thorough", *PATIENT, *SPREAD)]
        ]
    },
}
"""For each command its parts in order; the lanes of a part run side by side."""

WHOLE: Final = {"fast", "slow", "spark", "real"}
"""What a run of the whole suite leaves reports of."""


def main(words: Sequence[str] | None = None) -> int:
    """Run a suite and print its summary; 0 if everything passed, every test is cheap, and every mark is there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite", choices=[*SUITES, "caught"], help="what to run; caught: renew the page of marks")
    suite = parser.parse_args(words).suite
    if suite == "caught":
        return renewed()
    forget()
    figures, passed = run_all(SUITES[suite])
    costs, marks = found()
    print(f"\n{summary(costs, figures)}")
    fine = accepted(suite, costs, marks) and passed
    print(failures(costs))
    return 0 if fine else 1


def renewed() -> int:
    """Write the page of what the last run caught; 1 where it was not the whole suite."""
    missing = WHOLE - {path.stem for path in FOUND.glob("*.json")}
    if missing:
        print(f"The last run found nothing of {', '.join(sorted(missing))}: run `make test` first.")
        return 1
    PAGE.write_text(page(found()[1]), encoding="utf-8")
    return 0


def accepted(suite: str, costs: Sequence[Cost], marks: Sequence[Mark]) -> bool:
    """Say what is wrong with a run that passed: tests that are dear without a reason, marks that are gone."""
    if suite != "test":
        return True
    too_dear = f"over {LIMIT_SHARE:.0%} of all: mark it costly, with a reason"
    wrong = [f"{cost.test} took {cost.cpu_s} CPU-seconds, {too_dear}" for cost in unexplained(costs)]
    lost, gained = differences(marks, marks_of(PAGE.read_text(encoding="utf-8")) if PAGE.exists() else ())
    wrong += [f"no longer noticed: {mark.kind} {mark.defect} by {mark.judge}" for mark in lost]
    print("\n".join(["", *wrong]) if wrong else "\nEverything on the page of what is caught was caught.")
    if gained:
        print(f"{len(gained)} marks are not on the page: `make caught` renews it.")
    return not wrong


def run_all(parts: Mapping[str, Sequence[Lane]]) -> tuple[dict[str, tuple[float, float]], bool]:
    """Run parts, whether or not those before passed; the wall-clock and CPU time of each, and whether all passed."""
    adopt_orphans()
    figures: dict[str, tuple[float, float]] = {}
    passed = [run(name, lanes, figures) for name, lanes in parts.items()]
    return figures, all(passed)


def run(name: str, lanes: Sequence[Lane], figures: dict[str, tuple[float, float]]) -> bool:
    """Run the lanes of a part side by side, and enter its wall-clock and CPU time; False if a program failed."""
    print(f"\n=== {name}", flush=True)
    began, spent = time.monotonic(), children_cpu_s()
    start = run_alone if len(lanes) == 1 else run_quietly
    with ThreadPoolExecutor(len(lanes)) as pool:
        passed = [one for lane in pool.map(lambda lane: [start(command) for command in lane], lanes) for one in lane]
    reap_orphans()
    figures[name] = time.monotonic() - began, children_cpu_s() - spent
    return all(passed)


def run_alone(command: Command) -> bool:
    """Run a program that prints as it goes."""
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 0


def run_quietly(command: Command) -> bool:
    """Run a program beside others, and print what it said when it has ended."""
    ended = subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print(ended.stdout.decode(errors="replace"), end="", flush=True)
    return ended.returncode == 0


def forget() -> None:
    """Forget what an earlier run found."""
    rmtree(FOUND, ignore_errors=True)


def found() -> tuple[list[Cost], list[Mark]]:
    """What the tests of the last run cost and caught."""
    told = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOUND.glob("*.json"))]
    costs = [Cost(*cost) for one in told for cost in one["costs"]]
    return costs, [Mark(*mark) for one in told for mark in one["marks"]]


def children_cpu_s() -> float:
    """CPU-seconds of all processes that this one has seen end."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def adopt_orphans() -> None:
    """Have processes whose parent ended given to this one, where the system can."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)


def reap_orphans() -> None:
    """Take note of those that have ended."""
    try:
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass
    except ChildProcessError:
        return


if __name__ == "__main__":
    sys.exit(main())
