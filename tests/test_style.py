"""The house style that a program can judge: nothing is a giant, everything public says what it is, every rule cites.

Lint and format are ruff's; this holds what ruff has no rule for.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from spec.registry import RULES

ROOT = Path(__file__).parent.parent
PACKAGES = ("spec", "reference_impl", "conformance", "spark_checks", "quorate")
PROGRAMS = ("tests", "benchmarks", "examples")

FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = {"spec": 40, "reference_impl": 60, "conformance": 60, "spark_checks": 60, "quorate": 60}

UNFINISHED = re.compile("|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X")))
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:home|root|Users|work)/\w")

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def files(*folders: str, ending: str = ".py") -> list[Path]:
    """Return the files of these folders with this ending, in order."""
    return sorted(path for folder in folders for path in (ROOT / folder).rglob(f"*{ending}"))


def documents() -> list[Path]:
    """Return every document of the project."""
    return sorted([*ROOT.glob("*.md"), *files("docs", ending=".md")])


def label(path: Path) -> str:
    """Return a path as a person would write it."""
    return path.relative_to(ROOT).as_posix()


def definitions(tree: ast.Module) -> Iterator[tuple[str, Definition]]:
    """Give every class and function at the top of a module or in a class, with its dotted name."""
    waiting: list[tuple[str, ast.Module | ast.ClassDef]] = [("", tree)]
    while waiting:
        prefix, parent = waiting.pop()
        for node in parent.body:
            if isinstance(node, Definition):
                name = f"{prefix}{node.name}"
                yield name, node
                if isinstance(node, ast.ClassDef):
                    waiting.append((f"{name}.", node))


def is_public(name: str) -> bool:
    """Say whether every part of a dotted name is public: no leading underscore, so no magic method either."""
    return not any(part.startswith("_") for part in name.split("."))


def is_overload(node: Definition) -> bool:
    """Say whether this is one of several typed signatures of a function that follows."""
    return any("overload" in ast.unparse(decorator) for decorator in node.decorator_list)


def lines_of(node: Definition) -> int:
    """Return how many lines a definition takes, its docstring included and its decorators not."""
    return (node.end_lineno or node.lineno) - node.lineno + 1


def undocumented(tree: ast.Module) -> list[str]:
    """Return what a reader meets without a word of explanation."""
    missing = [] if ast.get_docstring(tree) else ["the module"]
    return missing + [
        name
        for name, node in definitions(tree)
        if is_public(name) and not is_overload(node) and not ast.get_docstring(node)
    ]


def faults_of(sentence: str, cite: str) -> list[str]:
    """Return what is wrong with how a rule presents itself."""
    faults = []
    if not re.fullmatch(r"[A-Z].*\.", sentence):
        faults.append(f"no sentence: {sentence!r}")
    if not re.search(r"\w[,:/] ?\w", cite):
        faults.append(f"a citation names a document and the place in it: {cite!r}")
    return faults


def test_no_file_is_a_giant() -> None:
    """A file of more than 400 lines holds more than one concept."""
    sizes = {label(path): len(path.read_text().splitlines()) for path in files(*PACKAGES, *PROGRAMS)}
    assert {name: size for name, size in sizes.items() if size > FILE_LINES_MAX} == {}


@pytest.mark.parametrize("package", PACKAGES)
def test_no_function_is_a_giant(package: str) -> None:
    """A rule is read at one glance; elsewhere a function fits a screen."""
    giants = {
        f"{label(path)} {name}": lines_of(node)
        for path in files(package)
        for name, node in definitions(ast.parse(path.read_text()))
        if not isinstance(node, ast.ClassDef) and lines_of(node) > FUNCTION_LINES_MAX[package]
    }
    assert giants == {}


@pytest.mark.parametrize("package", PACKAGES)
def test_everything_public_says_what_it_is(package: str) -> None:
    """Modules, classes, functions and methods that others may use have a docstring."""
    silent = [f"{label(path)} {name}" for path in files(package) for name in undocumented(ast.parse(path.read_text()))]
    assert silent == []


def test_every_test_file_says_what_justifies_it() -> None:
    """The docstring of a test module cites the promise or the source that its tests hold the code to."""
    assert [label(path) for path in files("tests") if not ast.get_docstring(ast.parse(path.read_text()))] == []


def test_nothing_is_left_for_later() -> None:
    """What is worth doing is done or is an issue; a mark in a file is neither."""
    marked = [
        f"{label(path)}:{number}"
        for path in [*files(*PACKAGES, *PROGRAMS), *documents(), ROOT / "Makefile", ROOT / "pyproject.toml"]
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if UNFINISHED.search(line)
    ]
    assert marked == []


def test_no_file_knows_a_machine() -> None:
    """The project runs anywhere: it names no folder of the machine where it was written."""
    everything = [*files(*PACKAGES, *PROGRAMS), *documents(), *(ROOT / name for name in ("Makefile", ".ci/run"))]
    assert [label(path) for path in everything if MACHINE_PATH.search(path.read_text())] == []


def test_the_lock_names_no_place() -> None:
    """Hashes say what is installed; where it comes from is the affair of whoever installs."""
    lock = (ROOT / "requirements.lock").read_text()
    assert "://" not in lock
    pinned = re.findall(r"^\S+==\S+", lock, flags=re.MULTILINE)
    hashed = re.findall(r"^\S+==\S+[^\\\n]* \\\n {4}--hash=sha256:", lock, flags=re.MULTILINE)
    assert len(pinned) == len(hashed) > 0


def test_tests_are_no_packages() -> None:
    """An `__init__.py` below tests would shadow the package of that name."""
    assert files("tests", ending="__init__.py") == []


def test_every_rule_is_a_cited_sentence() -> None:
    """A rule says in one sentence what it demands, names its source, and has an id of its own."""
    faults = {rule.id: faults_of(rule.sentence, rule.cite) for rule in RULES}
    assert {name: found for name, found in faults.items() if found} == {}
    assert len(faults) == len(RULES) > 0


def test_the_judge_of_style_is_awake() -> None:
    """Each finder finds its fault in a text that has it: a check that cannot fail is a defect."""
    tree = ast.parse(
        "class A:\n    def b(self): pass\n    def _c(self): pass\n\ndef d():\n    '''Say.'''\n    return 1\n"
    )
    assert undocumented(tree) == ["the module", "A", "A.b"]
    assert {name: lines_of(node) for name, node in definitions(tree)} == {"A": 3, "A.b": 1, "A._c": 1, "d": 3}
    assert UNFINISHED.search("# TO" + "DO later")
    assert MACHINE_PATH.search("in /ho" + "me/someone/x")
    assert not MACHINE_PATH.search("https://example.org/home/page")
    assert len(faults_of("all acknowledged records", "LogDevice")) == 2
    assert faults_of("Every acknowledged record survives.", "LogDevice, Recovery: what is acknowledged") == []
