"""Which tests are about a rule, a protocol text or a mutant: those that have it as a parameter, or quote its name."""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Iterable
from functools import cache
from typing import Any

import pytest


def is_about(item: pytest.Item, names: Collection[str]) -> bool:
    """Whether a test has one of these names as a parameter, or its function or class quotes one."""
    parameters = item.name.partition("[")[2]
    return any(has(parameters, name) for name in names) or quotes(_source(item), telling(names))


def has(parameters: str, name: str) -> bool:
    """Whether a name stands among parameters as pytest writes them: ``[reads-other_form]``."""
    return re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", parameters) is not None


def quotes(text: str, words: Iterable[str]) -> bool:
    """Whether a source has one of the words in quotation marks."""
    return any(f'"{word}"' in text for word in words)


def telling(names: Iterable[str]) -> list[str]:
    """The names that are no plain words: ``"epoch"`` in a source may mean anything."""
    return [name for name in names if not name.isalpha()]


def _source(item: pytest.Item) -> str:
    thing = getattr(item, "cls", None) or getattr(item, "function", None)
    return "" if thing is None else _text(thing)


@cache
def _text(thing: Any) -> str:
    """The source of a class, or of a function without its decorators, which name the parameters of all its cases."""
    text = inspect.getsource(thing)
    return text if inspect.isclass(thing) else text.partition("def ")[2]
