"""A segment layer in Python as a program: it is asked in JSON lines what its two methods do.

The other side of ``channels``; what is said stands in docs/how-to/compare-configurations.md.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from conformance.segment.histories import System
from conformance.segment.operations import WORDS, Ask, Commit, Iterate, Open, Operation, Put, Read, Write
from quorate.adapters.channels import NAMES
from quorate.adapters.errors import AdapterError, AdapterNonsense
from quorate.adapters.program import HELLO, VERSION
from spec.segment.iterator.times import TimeRange

COMMANDS: Final = {word: command for command, word in WORDS.items()}
"""The calls of iterators, by their word."""


def answers(name: str, begin: Callable[[Sequence[str]], System], questions: Iterable[str]) -> Iterator[str]:
    """A line for each line that is asked; what cannot be carried out is an error of that answer.

    Args:
        name: what the hello calls the system.
        begin: makes the system of a script, given its channels: nothing is stored in them.
        questions: lines of JSON.
    """
    system: System | None = None
    for line in questions:
        asked = json.loads(line)
        if HELLO in asked:
            yield json.dumps({HELLO: VERSION, "system": name})
            continue
        said: dict[str, Any] = {"id": asked["id"]}
        try:
            if asked["do"] == "begin":
                system = begin(asked["channels"])
            else:
                said |= _done(system, operation_of(asked))
        except AdapterError as wrong:
            said["error"] = str(wrong)
        yield json.dumps(said)


def _done(system: System | None, operation: Operation) -> dict[str, Any]:
    if system is None:
        raise AdapterNonsense(f"{operation} comes first", "a script begins", '{"do": "begin", "channels": ["a"]}')
    ok, read = system.does(operation)
    system.settles()
    return {"ok": ok, "read": {channel: list(times) for channel, times in read.items()}}


def operation_of(asked: Mapping[str, Any]) -> Operation:
    """The operation that a question is about.

    Raises:
        AdapterNonsense: there is no such question, or it lacks something.
    """
    try:
        return _operation(asked)
    except (KeyError, TypeError, ValueError) as wrong:
        what = f"asked {dict(asked)!r:.80}"
        raise AdapterNonsense(what, f"it is no operation: {wrong!r}", "docs/how-to/compare-configurations.md") from None


def _operation(asked: Mapping[str, Any]) -> Operation:
    match asked["do"]:
        case "put":
            return Put(asked["channel"], tuple(asked["times_ns"]))
        case "open":
            return Open(asked["writer"], tuple(asked["channels"]))
        case "write":
            return Write(asked["writer"], asked["channel"], tuple(asked["times_ns"]))
        case "commit":
            return Commit(asked["writer"])
        case "iterate":
            bounds = TimeRange(asked["start_ns"], asked["end_ns"])
            return Iterate(asked["iterator"], tuple(asked["channels"]), bounds, asked["chunk"])
        case "read":
            return Read(tuple(asked["channels"]), TimeRange(asked["start_ns"], asked["end_ns"]))
        case word:
            said = {name: asked[unit] for name, unit in NAMES.items() if unit in asked}
            return Ask(asked["name"], COMMANDS[word](**said))
