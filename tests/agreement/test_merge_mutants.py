"""The tests that cut and merge notice when the reading is broken: a check that cannot fail is a defect.

Each mutant changes one line of ``spec.columns`` in a copy and must be noticed on some random trace. What a mutant does
is its name.
"""

import shutil
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

import spec.columns
from spec.language.outcomes import Judgement
from spec.language.reference import ReferenceEvaluator
from tests.support.cuts import drawn
from tests.support.probe_rules import PROBE_RULES

pytestmark = pytest.mark.together("merge_mutants")

READING = Path(__file__).parents[2] / "spec" / "columns"
AGAIN = "tests.support.cuts"
"""What cuts and merges: it is imported again beside each broken reading."""

KEPT = "spec.columns.column"
"""The data alone, in which traces are given."""

SEEDS = 90
FEWER_SEEDS = 40
"""Where no trace is to tell a difference, all of them are judged."""


class Mutant(NamedTuple):
    """One broken line, and the seed of the first trace that tells it: that one is judged before all others."""

    what: str
    file: str
    line: str
    broken: str
    seed: int = 0


MUTANTS = [
    Mutant(
        "previous leaves no row for those that come after",
        "neighbours",
        "rows - 1), partition.ends[partition.right])",
        "rows - 1), partition.ends[:0])",
        seed=1,
    ),
    Mutant(
        "latest leaves no row for those that come after",
        "neighbours",
        'side="right") - 1)\n\n    return Seen(column, source, _there(source(partition.ends[partition.right])))',
        'side="right") - 1)\n\n    return Seen(column, source, partition.ends[:0])',
        seed=15,
    ),
    Mutant(
        "next leaves no row for those that come before",
        "neighbours",
        "segments, rows))\n\n    return Seen(column, source, _there(source(partition.starts[partition.left])))",
        "segments, rows))\n\n    return Seen(column, source, partition.ends[:0])",
        seed=12,
    ),
    Mutant(
        "highest leaves no row for those that come after",
        "neighbours",
        "known[top], at)\n\n    return Seen(column, source, _there(source(partition.ends[partition.right])))",
        "known[top], at)\n\n    return Seen(column, source, partition.ends[:0])",
        seed=2,
    ),
    Mutant(
        "lowest leaves no row for those that come before",
        "neighbours",
        "known[least], at)\n\n    return Seen(column, source, _there(source(partition.starts[partition.left])))",
        "known[least], at)\n\n    return Seen(column, source, partition.ends[:0])",
        seed=4,
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
    Mutant("rows that wait lose their neighbours", "settling", "keep[source[source >= 0]] = True", "pass", seed=2),
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
    Mutant("what is open counts as NULL for good", "kleene", "either_open & ~known)", "either_open & known)"),
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
        "None if either_open is None else either_open & ~known)",
        "None if either_open is None else either_open & ~value)",
    ),
]
"""Mutants that only make more rows wait: the answer stays the same."""


@cache
def meant(seed: int) -> Judgement:
    """What the reference evaluator says of the trace of a seed, whatever is broken."""
    events, parameters, _ = drawn(seed)
    return ReferenceEvaluator(events, parameters).judge(PROBE_RULES)


def noticed(mutant: Mutant, folder: Path, patch: pytest.MonkeyPatch, seeds: int = SEEDS) -> str:
    """What the first trace tells that the broken reading judges otherwise than the reference; nothing, if none does."""
    copy = shutil.copytree(READING, folder / "columns")
    file = copy / f"{mutant.file}.py"
    file.write_text(file.read_text().replace(mutant.line, mutant.broken))
    for name in [one for one in sys.modules if one.startswith("spec.columns.") and one != KEPT] + [AGAIN]:
        package, _, module = name.rpartition(".")
        patch.setattr(sys.modules[package], module, sys.modules[name])  # and back again, when the test is over
        patch.delitem(sys.modules, name)
    patch.setattr(spec.columns, "__path__", [str(copy)])
    cut_and_compare = import_module(AGAIN).cut_and_compare
    for seed in dict.fromkeys((mutant.seed, *range(seeds))):
        try:
            found = cut_and_compare(seed, meant(seed))
        except (IndexError, ValueError) as crash:
            found = [f"seed {seed}: {crash!r}"]
        if found:
            return str(found[0])
    return ""


@pytest.mark.parametrize("mutant", MUTANTS + HARMLESS, ids=lambda mutant: mutant.what)
def test_each_mutant_breaks_one_line(mutant: Mutant) -> None:
    """The line that a mutant breaks is there, once."""
    text = (READING / f"{mutant.file}.py").read_text()
    assert text.count(mutant.line) == 1


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.what)
def test_each_mutant_is_noticed(mutant: Mutant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some random trace, cut and merged, tells the broken reading from the reference evaluator."""
    assert noticed(mutant, tmp_path, monkeypatch)


@pytest.mark.costly("judges every random trace, for nothing ends it early")
@pytest.mark.thorough
@pytest.mark.parametrize("mutant", HARMLESS, ids=lambda mutant: mutant.what)
def test_waiting_too_much_changes_no_answer(mutant: Mutant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reading that waits more than it needs agrees with the reference evaluator, so the run itself is sound."""
    assert noticed(mutant, tmp_path, monkeypatch, FEWER_SEEDS) == ""
