"""The plugin of pytest: ``pytest --quorate-adapter module:factory`` asks a log for every guarantee of the suite.

It loads next to nothing unless it is asked to. Source: pytest, Writing plugins.
"""

from __future__ import annotations

from collections.abc import Generator
from secrets import randbelow
from typing import Final

import pytest

from quorate.options import add_options, is_asked, said

USUAL_SEED: Final = "1"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Settle the seed before it is printed, and before other processes are started that need the same."""
    if is_asked(config) and not said(config, "seed"):
        config.option.quorate_seed = str(randbelow(2**32)) if said(config, "profile") == "thorough" else USUAL_SEED


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say what is asked, and by which seed."""
    if not is_asked(config):
        return []
    log = said(config, "adapter") or said(config, "command")
    return [f"quorate: {log}, profile {said(config, 'profile') or 'quick'}, seed {said(config, 'seed')}"]


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Put the suite before all other tests, where they can be selected like these."""
    report = yield
    if isinstance(collector, pytest.Session) and is_asked(collector.config):
        from quorate.suite.items import suite_of

        report.result.insert(0, suite_of(collector))
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print what was asked of each guarantee, and what came of it."""
    if is_asked(config):
        from quorate.suite.summary import table

        reports = [one for outcome in ("passed", "failed", "skipped") for one in terminalreporter.getreports(outcome)]
        if lines := table(reports):
            terminalreporter.section("quorate")
            for line in lines:
                terminalreporter.line(line)
