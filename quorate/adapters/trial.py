"""A trial of an adapter itself: whether it says what the protocol has a meaning for, before its log is judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from typing import Any, Final

from quorate.adapters.driven import Driven
from quorate.adapters.errors import AdapterFailed, AdapterNonsense, NotAnAdapter
from quorate.adapters.protocol import BEGINNING, UNKNOWN_OUTCOMES, AtEnd, Record, Refused, Step

PAYLOADS: Final = tuple(
    text.encode() for text in ("a", "a", "", " ", '"\\\n\t', "\u00fc\u20ac\U0001f600", "x" * 10_000)
)
"""What is easily garbled: equal ones, an empty one, quotes and ends of lines, characters of many bytes, a long one."""

STEPS_MAX: Final = 100
"""Steps after which a read of these few records must have come to the end."""


def try_adapter(factory: Callable[[], Any], timeout_s: float) -> tuple[str, ...]:
    """Use an adapter in each way that it offers, with nothing else going on; says what was tried.

    Raises:
        AdapterError: one of its kinds, for the first thing that is wrong with it.
    """
    return tuple(_tried(factory, timeout_s))


def _tried(factory: Callable[[], Any], timeout_s: float) -> Iterator[str]:
    with closing(Driven(factory, timeout_s)) as log:
        yield f"it is an adapter, and can {', '.join(sorted(log.can)) or 'nothing besides'}"
        _must_be_empty(log, "a new log")
        yield "a new log is empty"
        for payload in PAYLOADS:
            _append(log, payload)
        yield "append gives an LSN"
        _must_give_payloads(log)
        yield "read gives payloads byte by byte, and comes to an end"
        next(_steps_beyond_the_end(log))
        yield "a read at the end goes on"
        if "tail" in log.can:
            with suppress(*UNKNOWN_OUTCOMES):
                log.tail("trial")
            yield "tail gives an LSN"
        if "client" in log.can:
            _append(log, b"b", "another")
            yield "another client appends"
    with closing(Driven(factory, timeout_s)) as log:
        _must_be_empty(log, "another new log")
        yield "another log is empty, too"


def _append(log: Driven, payload: bytes, client: str = "trial") -> None:
    try:
        log.append(client, payload)
    except (Refused, *UNKNOWN_OUTCOMES) as error:
        what = f"append of {payload!r:.40} raised {type(error).__name__}: {error}"
        raise AdapterFailed(what, "nothing is wrong with the log yet, so each is to succeed", "run it alone") from None


def _must_be_empty(log: Driven, what: str) -> None:
    for record in _records(log):
        why = "the factory makes a new and empty log each time that it is called"
        raise NotAnAdapter(f"{what} is not empty: a read gives {record!r:.80}", why, "a log of another name each time")


def _must_give_payloads(log: Driven) -> None:
    """Every payload that is given is one that was written: whether all are, and once, is asked of the log later."""
    for record in _records(log):
        if record.payload not in PAYLOADS:
            what, why = f"read gave {record.payload!r:.40}", f"only these were appended: {PAYLOADS!r:.120}..."
            raise AdapterNonsense(what, why, "give payloads byte by byte")


def _records(log: Driven) -> Iterator[Record]:
    for number, step in enumerate(log.read("trial", BEGINNING)):
        if isinstance(step, AtEnd):
            return
        if number > STEPS_MAX:
            raise AdapterNonsense(f"read gave {number} steps", "only a few records are there", "end it by AtEnd")
        if isinstance(step, Record):
            yield step


def _steps_beyond_the_end(log: Driven) -> Iterator[Step]:
    steps = log.read("trial", BEGINNING)
    next(step for step in steps if isinstance(step, AtEnd))
    _append(log, PAYLOADS[0])
    return steps
