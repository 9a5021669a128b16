"""The tests that cut and merge notice when the reading is broken: a check that cannot fail is a defect.

Each mutant changes one line of ``spec.columns`` in a copy and must be noticed on some random trace. What a mutant does
is its name.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent.parent
SEEDS = 90
FEWER_SEEDS = 40
"""Where no trace is to tell a difference, all of them are judged."""

RUN = """
import sys
from tests.support.cuts import cut_and_compare
for seed in range(int(sys.argv[1])):
    try:
        found = cut_and_compare(seed)
    except (IndexError, ValueError) as crash:
        found = [f"seed {seed}: {crash!r}"]
    if found:
        raise SystemExit("noticed: " + found[0])
"""


class Mutant(NamedTuple):
    """One broken line."""

    what: str
    file: str
    line: str
    broken: str


MUTANTS = [
    Mutant(
        "previous leaves no row for those that come after",
        "neighbours",
        "rows - 1), partition.ends[partition.right])",
        "rows - 1), partition.ends[:0])",
    ),
    Mutant(
        "latest leaves no row for those that come after",
        "neighbours",
        'side="right") - 1)\n\n    return Seen(column, source, _there(source(partition.ends[partition.right])))',
        'side="right") - 1)\n\n    return Seen(column, source, partition.ends[:0])',
    ),
    Mutant(
        "next leaves no row for those that come before",
        "neighbours",
        "segments, rows))\n\n    return Seen(column, source, _there(source(partition.starts[partition.left])))",
        "segments, rows))\n\n    return Seen(column, source, partition.ends[:0])",
    ),
    Mutant(
        "highest leaves no row for those that come after",
        "neighbours",
        "known[top], at)\n\n    return Seen(column, source, _there(source(partition.ends[partition.right])))",
        "known[top], at)\n\n    return Seen(column, source, partition.ends[:0])",
    ),
    Mutant(
        "lowest leaves no row for those that come before",
        "neighbours",
        "known[least], at)\n\n    return Seen(column, source, _there(source(partition.starts[partition.left])))",
        "known[least], at)\n\n    return Seen(column, source, partition.ends[:0])",
    ),
    Mutant(
        "previous never waits",
        "neighbours",
        "    opened[partition.starts[partition.left]] = True\n",
        "",
    ),
    Mutant("latest never waits", "neighbours", "_outside(segments, known, begun)", "None"),
    Mutant("next never waits", "neighbours", "_outside(segments, known, unended)", "None"),
    Mutant(
        "highest trusts what the block holds", "neighbours", "if len(partition.left) else None", "if False else None"
    ),
    Mutant(
        "lowest trusts what the block holds", "neighbours", "if len(partition.right) else None", "if False else None"
    ),
    Mutant("half a row is taken for a neighbour", "neighbours", "both(~partial, said.known)", "said.known"),
    Mutant("half a row is somebody's previous", "neighbours", "~partial[:-1]", "True"),
    Mutant("rows that wait lose their neighbours", "settling", "keep[source[source >= 0]] = True", "pass"),
    Mutant("half a row is judged", "rows", "wait = self.partial\n", "wait = None\n"),
    Mutant("half a row is no instance", "rows", "instance | self.partial", "instance"),
    Mutant(
        "only the first row of a block may be half", "rows", "partial |= same", "partial |= same & (place is sides[0])"
    ),
    Mutant("an instance that is not decided is counted", "rows", "wait = either(wait, given.open)", "pass"),
    Mutant("a claim that is not decided is counted", "rows", "wait = either(wait, claim.open & instance)", "pass"),
    Mutant("what may fall counts as what may rise", "kleene", "a.bound.falls is down", "a.bound.falls is not down"),
    Mutant(
        "a bound settles every comparison",
        "kleene",
        "said.open & np.where(said.value, stays_true, stays_false)",
        "said.open",
    ),
    Mutant("a bound that is not there settles", "kleene", "final | a.bound.there if", "np.ones_like(final) if"),
    Mutant(
        "a bound holds whatever the condition", "kleene", "there=a.bound.there & true(condition)", "there=a.bound.there"
    ),
    Mutant(
        "every lowest is bounded", "neighbours", "there = opened if known is None else opened & known", "there = opened"
    ),
    Mutant("rows are alike whatever is settled of them", "evaluators", "found.open, bounded) if", "found.open) if"),
    Mutant("what is open counts as NULL for good", "kleene", "else opened & ~known)", "else opened & known)"),
    Mutant("open counts as absent", "kleene", "a.known | a.bound.there, opened)", "a.known | a.bound.there, None)"),
    Mutant("open counts as different", "kleene", "same & known, undecided(a, b))", "same & known, None)"),
    Mutant("an open condition counts as false", "kleene", "opened & ~false(condition)", "opened & true(condition)"),
    Mutant("rows forget which rules wait", "settling", "np.uint8(1 << (number & 7))", "np.uint8(1)"),
    Mutant("rows are judged again and again", "settling", "now = mine if", "now = None if"),
    Mutant(
        "halves of a row do not join",
        "states",
        "join.reduceat(state.value, starts, axis=-1)",
        "state.value[..., starts]",
    ),
    Mutant(
        "half of a row that did not know is forgotten", "states", "np.logical_or.reduceat(state.unsure, starts)", "None"
    ),
    Mutant("half of a row that said nothing counts", "states", "np.logical_or.reduceat(state.said, starts)", "None"),
    Mutant("merged rows stay out of order", "blocks", "if order is not None:", "if False:"),
    Mutant(
        "what waits in half a row is forgotten",
        "blocks",
        "np.bitwise_or.reduceat(todo, starts, axis=-1)",
        "todo[:, starts] & 0",
    ),
    Mutant("every block begins the trace", "blocks", "None if begins else", "None if True else"),
    Mutant("every merge begins the trace", "blocks", "None if close or whole.begins else", "None if True else"),
    Mutant("every merge ends the trace", "blocks", "None if close else whole.span[1]", "None"),
    Mutant("an epoch's rows end with the log", "shape", "return place.position >> low_bits", "return place.position"),
]
"""Mutants that must not live."""

HARMLESS = [
    Mutant(
        "a settled conjunction still waits",
        "kleene",
        "None if opened is None else opened & ~known)",
        "None if opened is None else opened & ~value)",
    ),
]
"""Mutants that only make more rows wait: the answer stays the same."""


def broken_copy(mutant: Mutant, folder: Path) -> Path:
    """Copy the specification and the tests' helpers, with one line broken."""
    for part in ("spec", "tests/support"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    file = folder / "spec" / "columns" / f"{mutant.file}.py"
    file.write_text(file.read_text().replace(mutant.line, mutant.broken))
    return folder


def run(folder: Path, seeds: int = SEEDS) -> subprocess.CompletedProcess[str]:
    """Cut and merge random traces with what lies in a folder."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, "-c", RUN, str(seeds)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("mutant", MUTANTS + HARMLESS, ids=lambda mutant: mutant.what)
def test_each_mutant_breaks_one_line(mutant: Mutant) -> None:
    """The line that a mutant breaks is there, once."""
    text = (ROOT / "spec" / "columns" / f"{mutant.file}.py").read_text()
    assert text.count(mutant.line) == 1


@pytest.mark.costly("judges random traces until one tells")
@pytest.mark.slow
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.what)
def test_each_mutant_is_noticed(mutant: Mutant, tmp_path: Path) -> None:
    """Some random trace, cut and merged, tells the broken reading from the fold."""
    assert run(broken_copy(mutant, tmp_path)).stderr.startswith("noticed: ")


@pytest.mark.costly("judges every random trace, for nothing ends it early")
@pytest.mark.thorough
@pytest.mark.parametrize("mutant", HARMLESS, ids=lambda mutant: mutant.what)
def test_waiting_too_much_changes_no_answer(mutant: Mutant, tmp_path: Path) -> None:
    """A reading that waits more than it needs agrees with the fold, so the run itself is sound."""
    done = run(broken_copy(mutant, tmp_path), FEWER_SEEDS)
    assert done.returncode == 0, done.stderr
