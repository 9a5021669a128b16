"""The direction of imports is a test, not a promise.

`spec` says what must hold and knows nobody; `reference_impl` is one system that does it; `conformance` judges systems;
`spark_checks` judges traces by the rules alone, and works for stores of them; `quorate` is what users import. What is
heavy is imported where it is used, so that the command starts fast and a reader of rules needs no solver and no Java.
"""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import networkx as nx
import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
PACKAGES = ("spec", "reference_impl", "conformance", "spark_checks", "quorate")

MAY_IMPORT = {
    "spec": ("spec",),
    "reference_impl": ("reference_impl", "spec"),
    "conformance": ("conformance", "reference_impl", "spec"),
    "spark_checks": ("spark_checks", "spec", "conformance.trace", "conformance.store"),
    "quorate": ("quorate", "conformance", "reference_impl", "spec"),
}
"""Which of our modules each package may import; a name allows what lies below it."""

HELPERS = ("tests/support", "tests/suite")
"""Folders of the tests whose modules import each other."""

COMMAND = "conformance.cli"
"""The command may import everything of ours, lazily."""

NUMPY_READINGS = (
    "spec.columns",
    "spec.client.columns",
    "spec.language.columns",
    "spec.language.blocks",
    "spec.explore",
    "spec.language.explore",
)
"""The readings of `spec` that work on numpy columns."""

THIRD_PARTY_OF_SPEC = {"z3": ("spec.proof",), "numpy": NUMPY_READINGS}
"""What `spec` may import besides the standard library, and where."""

EXPLORER = "reference_impl.kernel.explorer"
THIRD_PARTY_OF_REFERENCE = {
    "numpy": (EXPLORER,),
    "numba": (EXPLORER,),
    "networkx": (f"{EXPLORER}.endless",),
    "zstandard": (EXPLORER, "reference_impl.log.payloads"),
}
"""What the explorer of protocol texts and payloads may import, and nothing else of `reference_impl`."""

DISTRIBUTION_TO_MODULE = {
    "z3-solver": "z3",
    "confluent-kafka": "confluent_kafka",
    "nats-py": "nats",
    "restate-sdk": "restate",
}
BROUGHT_ALONG = {"py4j": "pyspark", "pluggy": "pytest", "h2": "hypercorn"}
"""Modules that we import by name and that come with a dependency of ours."""


@dataclass(frozen=True)
class Import:
    """One import statement: who imports what, on which line, and whether only when a function runs."""

    importer: str
    imported: str
    line: int
    lazy: bool

    def __str__(self) -> str:
        return f"{self.importer}:{self.line} imports {self.imported}"


def module_name(path: Path) -> str:
    """Return a module's dotted name from its path."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def within(name: str, tops: tuple[str, ...]) -> bool:
    """Say whether a dotted name is one of these or lies below one."""
    return any(name == top or name.startswith(f"{top}.") for top in tops)


def imports_of(source: str, importer: str) -> Iterator[Import]:
    """Give every import of a module, also those inside functions and for type checkers only.

    `from a import b` counts as an import of `a.b`: that is at least as strict, whether b is a module or a name in one.
    """
    tree = ast.parse(source)
    inside = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for node in ast.walk(function)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                imported = [name.name for name in names]
            case ast.ImportFrom(module=str(module), level=0, names=names):
                imported = [f"{module}.{name.name}" for name in names]
            case ast.ImportFrom():
                imported = ["a relative name"]
            case _:
                continue
        for name in imported:
            yield Import(importer, name, node.lineno, lazy=id(node) in inside)


@cache
def all_imports(package: str) -> list[Import]:
    """Return every import of a package, in file order."""
    files = sorted((ROOT / package).rglob("*.py"))
    return [one for path in files for one in imports_of(path.read_text(), module_name(path))]


def is_ours(name: str) -> bool:
    """Say whether a dotted name lies in one of the packages."""
    return within(name, PACKAGES)


def top(name: str) -> str:
    """Return the first word of a dotted name."""
    return name.partition(".")[0]


def declared_modules() -> set[str]:
    """Return the top-level modules of the dependencies and extras in pyproject.toml, and those that come with them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = [*project["dependencies"], *(line for extra in project["optional-dependencies"].values() for line in extra)]
    names = {Requirement(line).name for line in lines}
    declared = {DISTRIBUTION_TO_MODULE.get(name, name) for name in names}
    return declared | {module for module, bringer in BROUGHT_ALONG.items() if bringer in declared}


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_point_one_way(package: str) -> None:
    """No package knows those above it; only the command may import them all, inside its functions."""
    wrong = [
        str(one)
        for one in all_imports(package)
        if is_ours(one.imported)
        and not within(one.imported, MAY_IMPORT[package])
        and not (one.lazy and one.importer.startswith(COMMAND))
    ]
    assert wrong == []


def test_spec_needs_the_standard_library_only() -> None:
    """A person can read and run the rules with nothing installed; the solver and numpy stay in their readings."""
    wrong = [
        str(one)
        for one in all_imports("spec")
        if not is_ours(one.imported)
        and top(one.imported) not in sys.stdlib_module_names
        and not within(one.importer, THIRD_PARTY_OF_SPEC.get(top(one.imported), ()))
    ]
    assert wrong == []


def test_reference_needs_little_more() -> None:
    """The executable model is plain Python; what makes the explorer quick, and what packs bytes, stays there."""
    allowed = {*sys.stdlib_module_names, "networkx", *PACKAGES}
    wrong = [
        str(one)
        for one in all_imports("reference_impl")
        if top(one.imported) not in allowed
        and not within(one.importer, THIRD_PARTY_OF_REFERENCE.get(top(one.imported), ()))
    ]
    assert wrong == []


@pytest.mark.parametrize("package", PACKAGES)
def test_what_is_imported_is_declared(package: str) -> None:
    """Whoever installs the wheel gets what it imports: nothing from the developers' tools slips in."""
    allowed = {*sys.stdlib_module_names, *PACKAGES, *declared_modules()}
    assert [str(one) for one in all_imports(package) if top(one.imported) not in allowed] == []


def circles(imports: Iterable[Import]) -> list[str]:
    """Name each group of modules that import each other, with the imports that make it one."""
    known = list(imports)
    modules = {one.importer for one in known}
    arrows = {one: one.imported if one.imported in modules else one.imported.rpartition(".")[0] for one in known}
    graph = nx.DiGraph((one.importer, module) for one, module in arrows.items())
    groups = [group for group in nx.strongly_connected_components(graph) if graph.subgraph(group).size()]
    return sorted(
        "\n  ".join([" and ".join(sorted(group)), *(str(one) for one in known if {one.importer, arrows[one]} <= group)])
        for group in groups
    )


def test_no_modules_import_each_other() -> None:
    """Be it for types only or inside functions: such modules are one concept, or data is not apart from its use."""
    found = circles(one for folder in (*PACKAGES, *HELPERS) for one in all_imports(folder))
    assert not found, "\n".join(["modules import each other:", *found])


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        ("spec", ("z3", "numpy", "pyspark", "pyarrow", "hypothesis")),
        ("spec.registry", ("z3", "numpy", "pyspark", "pyarrow", "hypothesis")),
        ("conformance.trace", ("z3", "pyspark", "hypothesis", "networkx")),
        ("conformance.cli", ("z3", "numpy", "pyspark", "pyarrow", "hypothesis", "networkx", "pandas")),
        ("spark_checks.session", ("pyspark", "z3", "pandas")),
        ("quorate.plugin", (*PACKAGES[:4], "z3", "numpy", "pyspark", "pyarrow", "hypothesis")),
        ("quorate", (*PACKAGES[:4], "asyncio", "z3", "numpy", "pyspark", "pyarrow", "hypothesis")),
    ],
)
def test_imports_stay_light(module: str, heavy: tuple[str, ...]) -> None:
    """Importing this module loads none of these: help and lists of rules appear at once."""
    program = f"import sys, {module}; print(*sorted(set(sys.modules) & {set(heavy)!r}))"
    loaded = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (loaded.returncode, loaded.stderr) == (0, "")
    assert loaded.stdout.split() == []


def test_the_reader_of_imports_sees_all_of_them() -> None:
    """Lazy, aliased, relative and type-checking imports count: a check that overlooks them could not fail."""
    source = (
        "import a.b as c\nfrom d import e\nfrom . import f\ndef g():\n    import h\nif TYPE_CHECKING:\n    import i\n"
    )
    seen = [(one.imported, one.lazy) for one in imports_of(source, "m")]
    assert sorted(seen) == [("a relative name", False), ("a.b", False), ("d.e", False), ("h", True), ("i", False)]
    assert within("spec.proof.z3_reading", ("spec.proof",))
    assert not within("specific", ("spec",))


GENERIC = (
    "spec.language",
    "spec.columns",
    "spec.explore",
    "reference_impl.kernel",
    "conformance.check",
    "conformance.trace",
)
"""The packages that serve every family, and know none."""

OF_A_FAMILY = re.compile(r"(?<![a-z])(logs?|lsns?|esns?|epochs?|nodes?)(?![a-z])", re.IGNORECASE)
"""What only a family speaks of, also as a part of a name."""

NO_FAMILY = frozenset(
    {
        "reference_impl.kernel.explorer.result",
        "spec.language.scopes",
        "conformance.trace.delta",
        "conformance.trace.delta_writing",
        "conformance.trace.fields",
        "conformance.trace.format_page",
        "conformance.trace.header_json",
    }
)
"""Where the word is a logarithm, or a scope at which copies may lie apart; the journal of a Delta table; what importers
note for people; the page of the format, which shows one family; and what older headers call the bits of a position."""


@pytest.mark.parametrize("package", GENERIC)
def test_generic_layers_speak_of_no_family(package: str) -> None:
    """Issue 18: a family is declared in one place; what lies below it has no word of it, in code, text or comments."""
    folder = ROOT / package.replace(".", "/")
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in sorted(folder.rglob("*.py"))
        if module_name(path) not in NO_FAMILY
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if OF_A_FAMILY.search(line)
    ]
    assert found == []


def test_the_finder_of_circles_finds_them() -> None:
    """Each group once, whether a module or a name in one is imported, with the lines that make the circle."""
    imports = [Import("a", "b.Name", 1, False), Import("b", "c.d", 2, True), Import("c.d", "a", 3, False)]
    assert circles([*imports, Import("e", "a", 4, False), Import("f", "f.Name", 5, False)]) == [
        "a and b and c.d\n  a:1 imports b.Name\n  b:2 imports c.d\n  c.d:3 imports a",
        "f\n  f:5 imports f.Name",
    ]
