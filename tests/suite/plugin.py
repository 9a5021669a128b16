"""What every test run of this project does besides: it gathers what tests cost and caught, and keeps groups together.

Source: the documented hooks of pytest and pytest-xdist; reports of workers carry ``user_properties`` to the controller.
"""

from __future__ import annotations

import json
from collections.abc import Generator
from functools import cache
from itertools import compress
from operator import not_
from pathlib import Path
from typing import Any

import pytest

from tests.suite.about import is_about
from tests.suite.caught import PROPERTY, Catches, Mark, mark_of
from tests.suite.costs import Cost, cpu_seconds

COST = "cpu_s"
REASON = "costly"
STARTED = pytest.StashKey[float]()
APART = ("real", "slow", "spark")
"""Marks of tests that run by themselves; the file of such a test has the word, so that no other file need be read."""
SHOWN_MAX = 300
"""So many characters of what a test failed with are told at the end of a run."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer to leave what tests cost and caught in a file, and to run only what is about a few names."""
    parser.addoption("--found", type=Path, help="write what each test cost and which defects were noticed to this file")
    named = {"action": "append", "default": [], "metavar": "NAME"}
    parser.addoption("--about", **named, help="run the cases about this rule, text or mutant, beside --whole files")
    parser.addoption("--whole", **named, help="run all tests of this file, beside those of --about")
    parser.addoption("--files-with", metavar="MARK", choices=APART, help="read only files of tests that name this mark")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Pass over files of tests that cannot have the mark that is asked for."""
    mark = config.getoption("--files-with")
    is_test = collection_path.name.startswith("test_") and collection_path.is_file()
    return True if mark and is_test and not has_word(collection_path, mark) else None


@cache
def has_word(path: Path, word: str) -> bool:
    """Whether a file has a word."""
    return word in path.read_text(encoding="utf-8")


def pytest_configure(config: pytest.Config) -> None:
    """Gather where reports arrive: in the only process, or in the controller of several."""
    path = config.getoption("--found")
    if path is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Gathering(path, config))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not about the names that are asked for, if any are.

    Raises:
        UsageError: `--files-with` would not see a test.
    """
    for item in items:
        for mark in APART:
            if item.get_closest_marker(mark) and not has_word(item.path, mark):
                raise pytest.UsageError(f"{item.nodeid} is marked {mark}, and its file does not say so: name it there")
    names, whole = config.getoption("--about"), config.getoption("--whole")
    if names:
        wanted = [item.nodeid.partition("::")[0] in whole or is_about(item, names) for item in items]
        config.hook.pytest_deselected(items=list(compress(items, map(not_, wanted))))
        items[:] = compress(items, wanted)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Look at the clock of the processors before anything is set up."""
    item.stash[STARTED] = cpu_seconds()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, None, None]:
    """Leave on the item what it took; the report on its teardown carries that."""
    yield
    item.user_properties.append((COST, round(cpu_seconds() - item.stash[STARTED], 2)))
    reason = item.get_closest_marker("costly")
    if reason is not None:
        item.user_properties.append((REASON, reason.args[0]))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep groups together where ``--dist loadgroup`` asks for it."""
    from tests.suite.together import Together

    return Together(config, log) if config.getoption("dist") == "loadgroup" else None


@pytest.fixture
def catches(record_property: Any) -> Catches:
    """Give what a test calls when it has seen a judge notice a defect: ``catches("mutant", name, "replay")``."""
    return lambda kind, defect, judge: record_property(PROPERTY, [*mark_of(kind, defect, judge)])


class Gathering:
    """What the tests of a run cost and caught, written down when the run ends; whichever fails is told at once."""

    def __init__(self, path: Path, config: pytest.Config) -> None:
        self.path, self.config = path, config
        self.costs: list[Cost] = []
        self.failures: dict[str, str] = {}
        self.marks: set[Mark] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take what a test caught if it passed, and what it cost in any case."""
        said: list[tuple[str, Any]] = report.user_properties
        terminal = self.config.pluginmanager.getplugin("terminalreporter")
        if report.failed:
            self.failures.setdefault(report.nodeid, message_of(report))
            if terminal is not None:
                terminal.write_line(f"\nfailed: {report.nodeid}")
        if report.when == "call" and report.passed:
            self.marks |= {Mark(*mark) for name, mark in said if name == PROPERTY}
        if report.when == "teardown":
            known = dict(said)
            failure = self.failures.get(report.nodeid, "")
            self.costs.append(Cost(report.nodeid, known.get(COST, 0.0), known.get(REASON, ""), failure))

    def pytest_sessionfinish(self) -> None:
        """Write all of it under a temporary name, then rename."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        there = self.path.with_name(f"{self.path.name}.part")
        there.write_text(json.dumps({"costs": self.costs, "marks": sorted(self.marks)}), encoding="utf-8")
        there.replace(self.path)


def message_of(report: pytest.TestReport) -> str:
    """What a test failed with, in one line of at most ``SHOWN_MAX`` characters."""
    crash = getattr(report.longrepr, "reprcrash", None)
    said = " ".join((str(report.longrepr) if crash is None else crash.message).split())
    return said if len(said) <= SHOWN_MAX else f"{said[:SHOWN_MAX]}…"
