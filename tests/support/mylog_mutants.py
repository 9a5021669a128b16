"""Mutants of the tutorial's log: each has one defect, the guarantee that it breaks, and the rule that says so.

Justified by docs/tutorial/test-your-own-log.md, whose log keeps every guarantee.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from quorate import AtEnd, Gap, Record, Refused

MYLOG: Final = Path(__file__).parent.parent.parent / "examples" / "mylog"

__all__ = ["MUTANTS", "MYLOG", "Adapter", "Mutant"]

sys.path.append(str(MYLOG))  # the tutorial's files stand beside each other, as a user's do

from adapter import Adapter  # noqa: E402 - found only now
from mylog import MyLog  # noqa: E402 - found only now


@dataclass(frozen=True)
class Mutant:
    """A log with one defect.

    Attributes:
        adapter: makes it.
        guarantee: the test that notices it best.
        rule: what is broken.
    """

    adapter: Callable[[], Any]
    guarantee: str
    rule: str


MUTANTS: Final[dict[str, Mutant]] = {}
"""All mutants by name."""


def mutant(guarantee: str, rule: str) -> Callable[[type], type]:
    """Enter a log, or its adapter, among the mutants."""

    def enter(defect: type) -> type:
        made = type(defect.__name__, (Adapter,), {"__init__": lambda self: setattr(self, "log", defect())})
        MUTANTS[defect.__name__] = Mutant(made if issubclass(defect, MyLog) else defect, guarantee, rule)
        return defect

    return enter


@mutant("no_loss", "client.read.acked_is_delivered")
class LosesEverySecond(Adapter):
    """Every second record is acknowledged, and given to nobody."""

    def read(self, start: int) -> Iterator[Any]:
        return (step for step in super().read(start) if not isinstance(step, Record) or step.lsn not in range(1, 99, 2))


@mutant("tail_honest", "client.read.nothing_beyond_the_end")
class LosesTheLast(MyLog):
    """The last record is in memory until another one comes; readers look at the disk."""

    def flush(self) -> None:
        self.disk += self.buffer[:-1]
        self.buffer = self.buffer[-1:]


@mutant("no_doubling", "client.append.once")
class Doubles(MyLog):
    """A record that follows two others is written twice."""

    def flush(self) -> None:
        twice = len(self.disk) == 2
        super().flush()
        self.disk += self.disk[-1:] * twice


@mutant("intact_records", "client.read.what_was_acked")
class Swaps(MyLog):
    """The first two records change places once there are three."""

    def flush(self) -> None:
        super().flush()
        if len(self.disk) == 3:
            self.disk[:2] = reversed(self.disk[:2])


@mutant("no_invention", "client.read.nothing_invented")
class Invents(MyLog):
    """After three records there is a fourth that nobody appended."""

    def flush(self) -> None:
        super().flush()
        if len(self.disk) == 3:
            self.disk.append(b"nobody's")


@mutant("survives_crash", "client.read.acked_is_delivered")
class ForgetsInCrashes(Adapter):
    """What was appended last before a crash is given to nobody after it."""

    def __init__(self) -> None:
        super().__init__()
        self.lost: set[object] = set()

    def crash(self, _node: str) -> None:
        super().crash(_node)
        self.lost.add(len(self.log.disk) - 1)

    def read(self, start: int) -> Iterator[Any]:
        return (step for step in super().read(start) if not isinstance(step, Record) or step.lsn not in self.lost)


@mutant("survives_crash", "client.read.nothing_beyond_the_end")
class HidesAfterCrashes(MyLog):
    """After a crash it looks empty until the next record comes."""

    has_crashed = False

    def end(self) -> int:
        return 0 if self.has_crashed else super().end()

    def flush(self) -> None:
        self.has_crashed = False
        super().flush()

    def start(self) -> None:
        self.has_crashed = True
        super().start()


@mutant("tail_honest", "client.read.nothing_beyond_the_end")
class StaleTail(Adapter):
    """The tail is as it was when it was asked the last time."""

    stale = 0

    def tail(self) -> int:
        said, self.stale = self.stale, self.log.end()
        return said


@mutant("gaps_honest", "client.read.acked_is_delivered")
class TellsOfHoles(Adapter):
    """Readers are told of a hole where the third record lies."""

    def read(self, start: int) -> Iterator[Any]:
        for step in super().read(start):
            yield Gap(2, 2, "hole") if isinstance(step, Record) and step.lsn == 2 else step


@mutant("gaps_honest", "client.read.acked_is_delivered")
class TellsOfLosses(Adapter):
    """Readers that begin in the middle are told that the record there is lost."""

    def read(self, start: int) -> Iterator[Any]:
        for step in super().read(start):
            lost = start and isinstance(step, Record) and step.lsn == start
            yield Gap(start, start, "dataloss") if lost else step


@mutant("trim_honest", "client.read.acked_is_delivered")
class TrimsTooMuch(MyLog):
    """A trim deletes one record more."""

    def delete(self, upto: int) -> None:
        super().delete(upto + 1)


@mutant("trim_honest", "client.read.acked_is_delivered")
class TrimsInSilence(Adapter):
    """Readers are not told what was trimmed: another record's place is passed over, too."""

    def trim(self, upto: int) -> None:
        self.log.delete(upto + 1)

    def read(self, start: int) -> Iterator[Any]:
        return (step for step in super().read(start) if not isinstance(step, Gap))


@mutant("reading_order", "client.read.in_order")
class RepeatsItself(Adapter):
    """A reader that is given three records is given the second one again."""

    def read(self, start: int) -> Iterator[Any]:
        given: list[Record] = []
        for step in super().read(start):
            yield step
            given += [step] if isinstance(step, Record) else []
            if isinstance(step, Record) and len(given) == 3:
                yield given[1]


@mutant("reading_from_anywhere", "client.read.acked_is_delivered")
class BeginsOneTooLate(Adapter):
    """A reader that begins in the middle misses the first record there."""

    def read(self, start: int) -> Iterator[Any]:
        return super().read(start + 1 if start else start)


@mutant("repeatable_reads", "client.read.repeatable")
class ChangesWhatWasRead(MyLog):
    """A record that was read twice is another one from then on."""

    reads = 0

    def get(self, number: int) -> bytes:
        self.reads += not number
        return self.disk[-1] if not number and self.reads > 2 else super().get(number)


@mutant("equal_payloads", "client.append.one_per_lsn")
class TakesEqualForSame(MyLog):
    """A record of a payload that is there already is answered with the place of that one."""

    def put(self, record: bytes) -> int:
        return self.disk.index(record) if record in self.disk else super().put(record)


@mutant("one_place", "client.append.one_per_lsn")
class AnswersOneBehind(MyLog):
    """From the third record on, the answer is the place of the record before."""

    def put(self, record: bytes) -> int:
        number = super().put(record)
        return number - 1 if number > 1 else number


@mutant("append_order", "client.append.in_order")
class WritesBeforeTheLast(MyLog):
    """LSNs are given out downwards, by twos."""

    def put(self, record: bytes) -> int:
        number = super().put(record)
        return number ^ 1


@mutant("refused_is_absent", "client.append.refused_is_absent")
class RefusesAndWrites(Adapter):
    """The third append is refused, and written."""

    def append(self, payload: bytes) -> int:
        number = super().append(payload)
        if number == 2:
            raise Refused("the log is full")
        return number


@mutant("retries", "client.append.once")
class WritesRetriesTwice(MyLog):
    """A record that is the same as the one before is written twice, as by a client library that retries in secret."""

    def flush(self) -> None:
        again = self.buffer == self.disk[-1:]
        super().flush()
        self.disk += self.disk[-1:] * again


@mutant("several_clients", "client.append.one_per_lsn")
class TwoSequencers(Adapter):
    """Every second append is numbered by somebody who has not heard of the one before."""

    def append(self, payload: bytes) -> int:
        number = self.log.put(payload)
        if len(payload) == 1 and number % 2:
            self.log.disk[number - 1 :] = [payload]
            return number - 1
        return number


@mutant("several_clients", "client.append.one_per_lsn")
class Races:
    """Between looking where a record is to lie and writing it there, somebody else may do the same."""

    def __init__(self) -> None:
        self.records: list[bytes] = []

    async def append(self, payload: bytes) -> int:
        number = len(self.records)
        await asyncio.sleep(0)
        self.records[number:] = [payload]
        return number

    async def read(self, start: int) -> AsyncIterator[Any]:
        for number in range(start, len(self.records)):
            yield Record(number, self.records[number])
        yield AtEnd(max(start, len(self.records)))
