"""What is worth knowing at once of a change: lint, types, and the tests that are nearest to it.

``python -m tests.suite.quick`` is what ``make quick`` runs. Three ways lead from a change to tests. Test files that few
imports away use what changed run whole, with the file that mirrors it and those that judge the tree as a whole. Rules,
protocol texts and mutants are compared with those of the last commit, name by name: of all other tests those cases run
that are about the names which now say something else. Changed rules judge the corpus of runs besides.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from tests.suite.about import quotes, telling
from tests.suite.costs import failures, summary
from tests.suite.parts import SPREAD, STATIC, SUITES, SYSTEMS, Command, forget, found, run_all, tests, tool
from tests.suite.reach import ROOT, imported, is_test, mirror_of, module_of, modules, nearest, sources_of, tests_of
from tests.suite.since import Unreadable, changed_subjects, last_change

REGISTRIES: Final = {
    "rules": "spec.registry",
    "protocol texts": "spec.protocols.registry",
    "mutants": "reference_impl.mutants",
}
"""The module by which tests get each kind of subject."""

LISTS: Final = (
    *(f"spec.{family}.family" for family in ("log", "ledger", "segment")),
    "spec.protocols.registry",
    "reference_impl.mutants",
)
LISTED: Final = re.compile(
    r"(spec\.(client|log|ledger\.rules|segment|protocols)|reference_impl\.mutants)\.(?!registry|events|story)\w+"
)
"""Such modules define what one of the lists lists, if it imports them."""

OF_RULES: Final = {"tests.agreement.changed_rules", "tests.corpus.test_rules", "tests.spec.test_sources"}
"""They ask of a changed rule: do its readings agree, do right runs keep it and mutants break it, what is its source."""

SETTINGS: Final = ("pyproject.toml", "requirements.lock")
MACHINERY: Final = ("tests.conftest", "tests.suite.plugin")
"""What every test depends on, with all that they import."""

NOT_LONG: Final = f"not slow and not thorough and not {SYSTEMS}"


class Chosen(NamedTuple):
    """What to run.

    Attributes:
        whole: test modules of which all tests run.
        cases: test modules of which those run that are about a name.
        names: the rules, protocol texts and mutants that say something else than before.
        far: test modules that use what changed from afar, and do not run.
        wide: what so many tests use, or all of them, that there is nothing to choose.
    """

    whole: set[str]
    cases: set[str]
    names: set[str]
    far: set[str]
    wide: set[str]


def choose(files: Collection[str], subjects: Mapping[str, set[str]]) -> Chosen:
    """The tests that are near to changed files, and those about changed subjects, by kind."""
    changed = changed_modules(files)
    reached = {module: tests_of([module]) for module in changed}
    near = {module: around(module, steps) for module, steps in reached.items()}
    of_all = {test for test in modules() if is_test(test) and test.count(".") == 1}
    whole = of_all.union(*near.values())
    whole |= OF_RULES if subjects.get("rules") else set()
    names = {name for known in subjects.values() for name in known}
    cases = {test for kind, known in subjects.items() if known for test in direct(REGISTRIES[kind])}
    cases |= {test for test in modules() if is_test(test) and mentions(test, telling(names))}
    far = {test for steps in reached.values() for test in steps} - whole - cases
    return Chosen(whole, cases - whole, names, far, wide(files, {module for module in changed if not near[module]}))


def around(module: str, steps: Mapping[str, int]) -> set[str]:
    """The nearest tests of a module and that which mirrors it; if it defines subjects, only those that import it."""
    most = {test: distance for test, distance in steps.items() if distance <= 1} if module in listed() else steps
    return nearest(most) | ({mirror_of(module)} & modules().keys())


def listed() -> set[str]:
    """The modules that define rules, protocol texts and mutants: what they say is compared name by name."""
    known = {module for one in LISTS for module in imported(one)}
    return {module for module in known if LISTED.fullmatch(module)}


def wide(files: Iterable[str], alone: set[str]) -> set[str]:
    """Of changed files, and of modules near which no test is, those that concern more tests than can be chosen."""
    everywhere = {str(path.relative_to(ROOT)) for path in sources_of(*MACHINERY)}.union(SETTINGS)
    return everywhere.intersection(files) | {module for module in alone - listed() if tests_of([module])}


def changed_modules(files: Iterable[str]) -> set[str]:
    """The modules of changed files; for a file of data those that name it or its folder."""
    changed = set()
    for file in map(Path, files):
        if file.suffix == ".py":
            changed.add(module_of(ROOT / file))
        elif file.suffix != ".md" and file.parent.name:
            changed |= {module for module in modules() if mentions(module, (file.name, file.parent.name))}
    return changed


def mentions(module: str, words: Iterable[str]) -> bool:
    """Whether a module quotes one of the words."""
    return quotes(modules()[module].read_text(encoding="utf-8"), words)


def direct(module: str) -> set[str]:
    """The test modules that import a module themselves."""
    return {test for test, steps in tests_of([module]).items() if steps == 1}


def command(chosen: Chosen) -> Command:
    """The line that runs what was chosen."""
    whole, cases = ([str(modules()[name].relative_to(ROOT)) for name in sorted(part)] for part in chosen[:2])
    options = [f"--whole={path}" for path in whole if cases] + [f"--about={name}" for name in sorted(chosen.names)]
    return tests("quick", NOT_LONG, *SPREAD, "--quiet", "--tb=short", *options, *whole, *cases)


def lines_of(commit: str, files: Iterable[str], chosen: Chosen) -> str:
    """What changed and what runs, for people."""
    changed = (
        "changed since the last commit" if commit == "HEAD" else "nothing changed since the last commit; it changed"
    )
    choice = {
        "all of": chosen.whole,
        "cases about these, of": chosen.cases,
        "not run, though they use it from afar (make fast runs them)": chosen.far,
    }
    all_tests = {"this concerns so many tests that all of make fast runs": chosen.wide}
    parts = {changed: files, "these say something else": chosen.names, **(all_tests if chosen.wide else choice)}
    return "\n".join(f"{what}: {first_of(names)}" for what, names in parts.items() if names)


def first_of(names: Iterable[str], shown: int = 8) -> str:
    """The first names, and how many more there are."""
    known = sorted(name.removeprefix("tests.") for name in names)
    more = f" and {len(known) - shown} more" if len(known) > shown else ""
    return f"{', '.join(known[:shown])}{more}"


def main() -> int:
    """Say what changed and run what is near to it; 0 if nothing is wrong."""
    commit, files = last_change()
    try:
        spoken = any(file.startswith(("spec/", "reference_impl/")) for file in files)
        chosen = choose(files, changed_subjects(commit) if spoken else {})
    except Unreadable as problem:
        print(f"The specification cannot be imported:\n{problem}")
        return 1
    print(lines_of(commit, files, chosen))
    last = SUITES["fast"]["fast"] if chosen.wide else [[command(chosen)]]
    forget()
    steps = {"lint": STATIC["lint"], "types": [[tool("mypy")]], "fast" if chosen.wide else "quick": last}
    figures, passed = run_all(steps)
    costs, _ = found()
    print(f"\n{summary(costs, figures)}\n{failures(costs)}")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
