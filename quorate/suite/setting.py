"""The setting of the suite: which log is asked, how much, and what is left of failures, as pytest's options say."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from importlib import import_module
from math import ceil
from pathlib import Path
from typing import Any

import pytest

from quorate.adapters.command import Command
from quorate.adapters.errors import NoSuchAdapter
from quorate.adapters.protocol import TIMEOUT_S
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
    timeout_s = _number(config, "timeout-s") or TIMEOUT_S
    name = said(config, "profile") or "quick"
    if name not in PROFILES:
        raise pytest.UsageError(f"--quorate-profile {name!r:.40}: known are {', '.join(PROFILES)}")
    histories = ceil(_number(config, "histories")) or PROFILES[name].histories
    profile = replace(PROFILES[name], histories=histories)
    conditions = Conditions(_factory(config, timeout_s), said(config, "seed"), profile, timeout_s)
    return Setting(conditions, Path(said(config, "traces") or ".quorate"), shlex.join(["pytest", *written(config)]))


def _number(config: pytest.Config, name: str) -> float:
    """The number that an option says; 0 if it says nothing."""
    text = said(config, name)
    try:
        number = float(text or 0)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf") or (text and not number):
        raise pytest.UsageError(f"--quorate-{name} {text!r:.40}: it is a number greater than 0")
    return number


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
