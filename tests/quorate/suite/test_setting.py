"""Options that name no log, or say what they may not, are refused by name.

Justified by docs/reference/guarantees.md, Options.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from quorate import Command
from quorate.adapters.errors import NoSuchAdapter
from quorate.suite.judging import PROFILES
from quorate.suite.setting import imported, setting_of
from tests.support.adapters import Memory


@dataclass
class Config:
    """What the setting asks of pytest's configuration."""

    options: dict[str, str]
    rootpath: Path = Path()
    cleanups: list[Any] = field(default_factory=list)

    @property
    def invocation_params(self) -> Any:
        return self

    dir = rootpath

    def getoption(self, name: str, otherwise: Any = None) -> Any:
        return self.options.get(name, otherwise)

    def getini(self, name: str) -> str:
        assert name.startswith("quorate_")
        return ""

    def add_cleanup(self, call: Any) -> None:
        self.cleanups.append(call)


def setting(**options: str) -> Any:
    """Return the setting that options say."""
    config = Config({f"quorate_{name}": value for name, value in options.items()})
    return setting_of(cast("pytest.Config", config))


LOG = "tests.support.adapters:Memory"


def test_an_adapter_is_named_by_module_and_factory() -> None:
    said = setting(adapter=LOG, seed="7", profile="thorough", histories="3", timeout_s="0.5")
    assert said.conditions.factory is Memory
    assert (said.conditions.seed, said.conditions.timeout_s, said.conditions.profile.histories) == ("7", 0.5, 3)
    assert said.conditions.profile.steps == PROFILES["thorough"].steps
    assert said.command == (
        f"pytest --quorate-adapter {LOG} --quorate-profile thorough --quorate-histories 3 --quorate-timeout-s 0.5"
    )


def test_a_program_is_named_by_its_command() -> None:
    factory = setting(command="node 'my log.js'").conditions.factory
    assert isinstance(factory, Command)
    assert factory.argv == ("node", "my log.js")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("tests.support.adapters:Memori", "no 'Memori' in 'tests.support.adapters'.*Try: Memory"),
        ("tests.support.adapters", "no '' in"),
        ("no_such_module:Log", "'no_such_module' cannot be imported: ModuleNotFoundError"),
        ("tests.support.adapters:EXAMPLES", "it is no factory: it is PosixPath"),
    ],
)
def test_what_is_no_factory_is_refused(name: str, said: str) -> None:
    with pytest.raises(NoSuchAdapter, match=said):
        imported(name)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"adapter": LOG, "command": "true"}, "leave one out"),
        ({"adapter": LOG, "profile": "slow"}, "known are quick, thorough"),
        ({"adapter": LOG, "timeout_s": "soon"}, "a number greater than 0"),
        ({"adapter": LOG, "timeout_s": "inf"}, "a number greater than 0"),
        ({"adapter": LOG, "histories": "0"}, "a number greater than 0"),
    ],
)
def test_what_an_option_may_not_say_is_a_usage_error(options: dict[str, str], said: str) -> None:
    with pytest.raises(pytest.UsageError, match=said):
        setting(**options)
