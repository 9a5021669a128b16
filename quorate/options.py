"""The options of the plugin, each on the command line as ``--quorate-NAME`` and in the configuration of pytest."""

from __future__ import annotations

from typing import Final

import pytest

OPTIONS: Final = {
    "adapter": ("MODULE:FACTORY", "the factory that makes the adapter of a new and empty log"),
    "command": ("COMMAND", "the program that is the adapter, and speaks JSON lines"),
    "profile": ("NAME", "quick (the default) or thorough"),
    "seed": ("SEED", "decides all histories; by default 1, and with thorough another one each time"),
    "histories": ("N", "by how many histories each guarantee is asked, if not as the profile says"),
    "traces": ("FOLDER", "where traces of failures are left, by default .quorate"),
    "timeout-s": ("SECONDS", "how long an answer of a coroutine or a program may take, by default 10"),
}
"""What each option takes, and what it says."""


def add_options(parser: pytest.Parser) -> None:
    """Add the options to those of pytest."""
    group = parser.getgroup("quorate", "quorate: hold a replicated log to its specification")
    for name, (takes, says) in OPTIONS.items():
        group.addoption(f"--quorate-{name}", metavar=takes, help=says)
        parser.addini(_plain(name), says, default="")
    group.addoption("--quorate-steps", metavar="STEPS", help="run this history alone, as a failure has printed it")


def said(config: pytest.Config, name: str) -> str:
    """What an option says, or the configuration; "" if neither does."""
    return str(config.getoption(_plain(name), None) or config.getini(_plain(name)) or "")


def written(config: pytest.Config) -> list[str]:
    """The words of the command line that name the log, and how it is asked."""
    words = []
    for name in ("adapter", "command", "profile", "histories", "timeout-s"):
        if value := config.getoption(_plain(name)):
            words += [f"--quorate-{name}", value]
    return words


def is_asked(config: pytest.Config) -> bool:
    """Whether a log is to be tested."""
    return bool(said(config, "adapter") or said(config, "command"))


def _plain(name: str) -> str:
    return f"quorate_{name.replace('-', '_')}"
