"""Adapters for tests: a log in memory, the same as coroutines, and small programs that speak the protocol wrongly."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Generator, Iterator
from pathlib import Path
from textwrap import dedent, indent

from quorate import AtEnd, Indefinite, Log, Lsn, Record
from quorate.adapters.protocol import Step

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "adapters"


class Memory:
    """A log in memory that can do nothing besides."""

    def __init__(self) -> None:
        self.records: list[bytes] = []

    def append(self, payload: bytes) -> int:
        self.records.append(payload)
        return len(self.records) - 1

    def read(self, start: Lsn) -> Iterator[Step]:
        assert isinstance(start, int)
        for lsn in range(start, len(self.records)):
            yield Record(lsn, self.records[lsn])
        yield AtEnd(max(start, len(self.records)))


class AsyncMemory:
    """The same as coroutines; ``slow`` appends never end."""

    promises = ("real_time_order",)

    def __init__(self, *, slow: bool = False) -> None:
        self.log, self.slow = Memory(), slow

    async def append(self, payload: bytes) -> int:
        if self.slow:
            await Forever()
        return self.log.append(payload)

    async def read(self, start: Lsn) -> AsyncIterator[Step]:
        for step in self.log.read(start):
            yield step

    async def tail(self) -> int:
        return len(self.log.records)

    async def trim(self, upto: Lsn) -> None:
        raise Indefinite(f"cannot trim up to {upto}")


class Forever:
    """Something that can be awaited and never ends."""

    def __await__(self) -> Generator[None, None, None]:
        while True:
            yield


def program(answers: str) -> list[str]:
    """Return the command of a program that says the hello, and then computes each ``answer`` from ``question``."""
    source = """
        import json, sys
        for line in sys.stdin:
            question = json.loads(line)
            answer = {"quorate_adapter": 1} if "quorate_adapter" in question else {"id": question["id"]}
    """
    rest = indent(dedent(answers), " " * 4)
    return [sys.executable, "-c", f"{dedent(source)}\n{rest}\n    print(json.dumps(answer), flush=True)"]


def sync(log: Memory) -> Log:
    """Let the type checker hold the log in memory to the protocol."""
    return log
