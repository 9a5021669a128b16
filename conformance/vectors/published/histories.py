"""Cases of histories: what a few clients of one log did and were told, with the verdict and the broken rules."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, Final

from conformance.importers.journal import digest_of_bytes
from conformance.trace.header import Header, Recorder, System
from conformance.trace.header_json import header_to_json
from conformance.vectors.histories import verdict_of

KINDS: Final = ("invoke", "ack", "fail", "indefinite", "read", "deliver", "gap", "at_end", "trim")
EPOCH: Final = 1
HEADER: Final = Header(
    system=System("generated"),
    members={},
    recorders={"clients": Recorder("client", dict.fromkeys(KINDS, "complete"))},
    clock_bound_ns=0,
    promises={"real_time_order": True},
)
DEFECTS: Final = ("", "", "skip", "swap", "double", "invent", "wrong place", "refused", "early end")
"""What the log does wrong, if anything."""


def histories(rng: Random) -> Iterator[dict[str, Any]]:
    """Two writers append, some of them to no answer; one or two readers read everything."""
    header = header_to_json(HEADER)
    while True:
        written = _Written(rng)
        written.append_some()
        for reader in range(rng.randint(1, 2)):
            written.read(reader + 2)
        verdict, rules = verdict_of(header, written.events)
        if verdict == "unknown":
            continue
        sign = "positive" if verdict == "holds" else "negative"
        said = {"header": header, "events": written.events, "verdict": verdict, "expected": rules}
        yield {**said, "sign": sign, "rule": ", ".join(rules)}


class _Written:
    """The events of one history, as lines of a trace."""

    def __init__(self, rng: Random) -> None:
        self.rng, self.defect = rng, rng.choice(DEFECTS)
        self.events: list[dict[str, Any]] = []
        self.stored: list[str] = []
        self.refused: list[str] = []

    def say(self, kind: str, **fields: Any) -> int:
        """Write down one event; gives its number."""
        number = len(self.events)
        self.events.append({"recorder": "clients", "seq": number, "time_ns": number * 1000, "kind": kind, **fields})
        return number

    def append_some(self) -> None:
        """Append, with every kind of answer."""
        for number in range(self.rng.randint(2, 5)):
            payload = self.rng.choice("abc") + (str(number) if self.rng.random() < 0.7 else "")  # noqa: PLR2004
            said = {"log": 0, "writer": self.rng.randrange(2), **_payload(payload)}
            invoked, answer = self.say("invoke", **said), self.rng.choice(("ack", "ack", "ack", "fail", "indefinite"))
            if answer == "fail":
                self.say("fail", **said, invoked=invoked)
                self.refused.append(payload)
                continue
            if answer == "ack" or self.rng.random() < 0.5:  # noqa: PLR2004 - what nobody knows of may have happened
                self.stored.append(payload)
            if answer == "indefinite":
                self.say("indefinite", **said, invoked=invoked)
                continue
            place = len(self.stored) - 1
            wrong = self.defect == "wrong place" and place > 0
            self.say("ack", epoch=EPOCH, esn=place - wrong, **said, invoked=invoked)

    def read(self, reader: int) -> None:
        """Read everything, as the log has it, or does not."""
        said = {"log": 0, "reader": reader}
        self.say("read", **said, epoch=EPOCH, esn=0, upto_epoch=0, upto_esn=(1 << 32) - 1)
        given = list(enumerate(self.stored))
        if given and self.defect == "skip":
            given.pop(self.rng.randrange(len(given)))
        if len(given) > 1 and self.defect == "swap":
            given = [(place, text) for (place, _), (_, text) in zip(given, reversed(given), strict=True)]
        if given and self.defect == "double":
            given.insert(1, given[0])
        if self.defect == "invent" or (self.defect == "refused" and self.refused):
            text = self.refused[-1] if self.defect == "refused" else "nobody's"
            given.append((len(self.stored), text))
        if self.defect == "early end":
            given = given[: len(given) // 2]
        for place, text in given:
            here = {"epoch": EPOCH, "esn": place, "upto_epoch": EPOCH, "upto_esn": place}
            self.say("deliver", **said, **here, **_payload(text))
        asked = len(self.events)
        end = max((place for place, _ in given), default=-1) + 1
        self.say("at_end", **said, epoch=EPOCH, esn=end, invoked=asked, invoked_at_ns=asked * 1000)


def _payload(text: str) -> dict[str, Any]:
    return {"digest": digest_of_bytes(text.encode()), "payload": text}
