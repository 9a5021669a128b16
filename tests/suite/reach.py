"""What a change can reach: which module imports which, read from the sources, and which tests are nearest.

Source: the language reference on imports; those inside functions count like others. A module that writes the path of
others (``ROOT / "examples" / "mylog"``) uses them, too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Final

import networkx as nx

ROOT: Final = Path(__file__).parents[2]
FOLDERS: Final = ("spec", "reference_impl", "conformance", "spark_checks", "quorate", "benchmarks", "examples", "tests")

NEAR_MAX: Final = 16
"""Of test files that a change reaches, whole rings are near, nearest first, while they are not more than so many."""


@cache
def modules() -> dict[str, Path]:
    """Every module of the project by its dotted name."""
    return {module_of(path): path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))}


def module_of(path: Path) -> str:
    """The dotted name of a file's module."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def imported(module: str) -> frozenset[str]:
    """The project's modules that a module imports or names by path, and the packages on the way to them."""
    return frozenset(_imported(modules()[module].read_text(encoding="utf-8"))) - {module}


def _imported(source: str) -> Iterator[str]:
    """What is imported from a package may be a module or not; of a text that cannot be read the linter tells."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        match node:
            case ast.Import(names):
                named = [alias.name for alias in names]
            case ast.ImportFrom(module=str(module), names=names):
                named = [f"{module}.{alias.name}" for alias in names]
            case ast.BinOp(left=ast.BinOp(), op=ast.Div()):
                named = _under(_written(node))
            case _:
                continue
        for name in named:
            yield from (prefix for prefix in accumulate(name.split("."), "{}.{}".format) if prefix in modules())


def _written(path: ast.expr) -> str:
    """The last words of a path that is written as a product of words, as a dotted name."""
    match path:
        case ast.BinOp(left=left, op=ast.Div(), right=ast.Constant(value=str(word))):
            return f"{_written(left)}.{word.removesuffix('.py')}".lstrip(".")
    return ""


def _under(name: str) -> list[str]:
    """The module of a dotted name, and all in its folder."""
    return [module for module in modules() if f"{module}.".startswith(f"{name}.")] if name else []


def sources_of(*names: str) -> list[Path]:
    """The files of these modules and of all that they import, in order: what decides what they do."""
    found: set[str] = set()
    waiting = [*names]
    while waiting:
        module = waiting.pop()
        if module not in found:
            found.add(module)
            waiting += imported(module)
    return sorted(modules()[module] for module in found)


def tests_of(changed: Iterable[str]) -> dict[str, int]:
    """Every test module that changed modules reach, with the least number of imports between them, nearest first."""
    upwards = nx.DiGraph((found, module) for module in modules() for found in imported(module))
    known = [name for name in changed if name in upwards]
    if not known:
        return {}
    steps = nx.multi_source_dijkstra_path_length(upwards, known)
    return {name: distance for name, distance in steps.items() if is_test(name)}


def is_test(module: str) -> bool:
    """Whether pytest collects a module."""
    return module.startswith("tests.") and module.rpartition(".")[2].startswith("test_")


def nearest(distances: Mapping[str, int], most: int = NEAR_MAX) -> set[str]:
    """Whole rings of tests around what changed, as many as make no more than so many tests."""
    rings = [{test for test, steps in distances.items() if steps <= ring} for ring in sorted({*distances.values()})]
    return max((ring for ring in rings if len(ring) <= most), key=len, default=set())


def mirror_of(module: str) -> str:
    """The test module that has a module's name: tests.spec.log.test_appending for spec.log.appending."""
    package, _, name = module.rpartition(".")
    return f"tests.{package}.test_{name}"
