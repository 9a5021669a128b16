"""Histories told in lines, each of which is one thing that happened; for cases made by hand.

``spec.client.history`` justifies what can be said. Lines stand in the true order, a tick of 10 ns apart::

    w1: a begins 7      w1: a acked 1      w1: a refused      w1: a unknown
    r1: reads 1         r1: given 1 7      r1: gap 1 2 hole   r1: asks      r1: end 3
    control: trims 2

``w1@x`` is seen by recorder x; all that names none is seen by one recorder. An append is named by a letter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from spec.client.history import (
    INDEFINITE,
    PENDING,
    REFUSED,
    Acknowledged,
    Append,
    AtEnd,
    Gap,
    Given,
    History,
    Moment,
    Read,
    Step,
    Trim,
)
from spec.events import GAP_KINDS
from spec.language.outcomes import Verdict

ENDS = {"refused": REFUSED, "unknown": INDEFINITE}


@dataclass(frozen=True)
class Case:
    """One history, the verdict that it is to get, and the sentence that says why."""

    name: str
    verdict: Verdict
    why: str
    history: History


@dataclass
class _Telling:
    appends: dict[str, Append] = field(default_factory=dict)
    reads: list[Read] = field(default_factory=list)
    asked: dict[int, Moment] = field(default_factory=dict)
    trims: list[Trim] = field(default_factory=list)

    def hear(self, at: Moment, who: str, words: list[str]) -> None:
        match words:
            case ["trims", upto]:
                self.trims.append(Trim(int(upto), at))
            case [name, "begins", payload]:
                self.appends[name] = Append(int(who[1:]), int(payload), at, None, PENDING)
            case [name, "acked", lsn, *also]:
                outcome = Acknowledged(int(lsn), tuple(map(int, also)))
                self.appends[name] = replace(self.appends[name], ended=at, outcome=outcome)
            case [name, ("refused" | "unknown") as how]:
                self.appends[name] = replace(self.appends[name], ended=at, outcome=ENDS[how])
            case ["reads", start]:
                self.reads.append(Read(int(who[1:]), int(start), at, ()))
            case ["asks"]:
                self.asked[int(who[1:])] = at
            case _:
                self._step(int(who[1:]), self._stepped(at, int(who[1:]), words))

    def _stepped(self, at: Moment, reader: int, words: list[str]) -> Step:
        match words:
            case ["given", lsn, payload]:
                return Given(at, int(lsn), int(payload))
            case ["gap", lsn, upto, reason]:
                return Gap(at, int(lsn), int(upto), GAP_KINDS[reason])
            case ["end", lsn]:
                return AtEnd(at, int(lsn), self.asked.pop(reader, at))
        raise AssertionError(f"no line of a story: {' '.join(words)}")

    def _step(self, reader: int, step: Step) -> None:
        number = max(number for number, read in enumerate(self.reads) if read.reader == reader)
        self.reads[number] = replace(self.reads[number], steps=(*self.reads[number].steps, step))


def story_of(
    *lines: str,
    clocks: bool = True,
    bound: int = 0,
    ahead: Mapping[str, int] | None = None,
    promised: bool = False,
    trims: bool = False,
) -> History:
    """The history that lines tell.

    Args:
        lines: what happened, in its true order.
        clocks: whether recorders have clocks.
        bound: the most by which clocks differ, as promised, in nanoseconds.
        ahead: by how many nanoseconds the clock of a recorder is ahead.
        promised: whether order across clients is promised.
        trims: whether trims are recorded.
    """
    telling, counts = _Telling(), Counter[str]()
    for tick, line in enumerate(lines, start=1):
        subject, _, words = line.partition(": ")
        who, _, place = subject.partition("@")
        recorder = place or "all"
        counts[recorder] += 1
        time = tick * 10 + (ahead or {}).get(recorder, 0) if clocks else None
        telling.hear(Moment(recorder, counts[recorder], time), who, words.split())
    trimmed = tuple(telling.trims) if trims else None
    return History(tuple(telling.appends.values()), tuple(telling.reads), trimmed, bound, promised)
