"""The setting of the suite: which log is asked, how much, and what is left of failures, as pytest's options say."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from quorate.adapters.command import Command
from quorate.adapters.errors import NoSuchAdapter
from quorate.options import said, written
from quorate.suite.judging import PROFILES, Conditions


@dataclass(frozen=True, slots=True)
class Setting:
    """What all tests of a session share.

    Attributes:
        conditions: on what guarantees are asked.
        traces: the folder for traces of failures.
        command: how pytest is started on this log.
    """

    conditions: Conditions
    traces: Path
    command: str


def setting_of(config: pytest.Config) -> Setting:
    """The setting that the options and the configuration say.

    Raises:
        NoSuchAdapter: the adapter cannot be found.
        UsageError: an option says what it may not.
    """
    timeout_s = _seconds(said(config, "timeout-s") or "10")
    profile = said(config, "profile") or "quick"
    if profile not in PROFILES:
        raise pytest.UsageError(f"--quorate-profile {profile!r:.40}: known are {', '.join(PROFILES)}")
    conditions = Conditions(_factory(config, timeout_s), said(config, "seed"), PROFILES[profile], timeout_s)
    return Setting(conditions, Path(said(config, "traces") or ".quorate"), shlex.join(["pytest", *written(config)]))


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise pytest.UsageError(f"--quorate-timeout-s {text!r:.40}: it is a number greater than 0")
    return seconds


def _factory(config: pytest.Config, timeout_s: float) -> Callable[[], Any]:
    adapter, command = said(config, "adapter"), said(config, "command")
    if adapter and command:
        raise pytest.UsageError("--quorate-adapter and --quorate-command: a log has one adapter, so leave one out")
    if adapter:
        return imported(adapter, config.rootpath, config.invocation_params.dir)
    factory = Command(shlex.split(command), timeout_s)
    config.add_cleanup(factory.close)
    return factory


def imported(name: str, *folders: Path) -> Callable[[], Any]:
    """What ``module:factory`` names, looked for in these folders, too.

    Raises:
        NoSuchAdapter: it cannot be imported, or is no factory.
    """
    module, _, path = name.partition(":")
    where = f"--quorate-adapter {name}"
    sys.path[:0] = [str(folder) for folder in dict.fromkeys(folders) if str(folder) not in sys.path]
    try:
        found: Any = import_module(module)
    except Exception as error:
        why, advice = f"{type(error).__name__}: {error}", "MODULE:FACTORY, of a module that can be imported from here"
        raise NoSuchAdapter(f"{module!r} cannot be imported", why, advice, where) from error
    for part in path.split("."):
        if not hasattr(found, part):
            near = get_close_matches(part, dir(found), n=1) or ["MODULE:FACTORY"]
            raise NoSuchAdapter(f"no {part!r} in {module!r}", "nothing there has this name", near[0], where)
        found = getattr(found, part)
    if not callable(found):
        raise NoSuchAdapter("it is no factory", f"it is {type(found).__name__}", "a class, or a function", where)
    factory: Callable[[], Any] = found
    return factory
