"""Histories in quorate's own plain form: one JSON object for each thing that a client of a log did or was told.

The form is this project's own, and told in ``docs/how-to/import-a-client-history.md``. The forms of others are
translated into it.
"""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from conformance.importers.errors import Contradiction, UnknownRow
from conformance.importers.journal import digest_of
from conformance.importers.lines import Line
from conformance.importers.steps import NOWHERE, Did, Payload, Step
from conformance.trace.errors import Mistyped
from conformance.trace.fields import BEGAN_UNKNOWN, SERVED_BY
from spec.language.limits import TIME_MAX

OUTCOMES: Final = {"ok": Did.ACKNOWLEDGED, "failed": Did.REFUSED, "unknown": Did.UNKNOWN}
"""How an operation ends; a read ends in the same words."""

OPERATIONS: Final = {"seek": Did.BEGAN_AT, "ask": Did.ASKED, "end": Did.TOLD_OF_THE_END}
"""Operations that are one step each, besides ``invoke``, ``append`` and ``read``."""

FIELDS: Final = frozenset({"op", "client", "log", "time_ns", SERVED_BY, "id", "value", "outcome", "offset"})
"""All that a line may say. What else it says goes into its event as a field that nobody knows, so that it is told."""

ONE_LOG: Final = "log"
"""The name of the log where a line names none."""


def read_plain(lines: Iterable[Line]) -> list[Step]:
    """The steps of a history, in the order of its lines.

    An append whose beginning is not recorded may have begun at any time before its end. Its beginning is put before
    everything else: there it binds nothing.

    Raises:
        TraceError: one of its kinds, with the file and line, for whatever is wrong.
    """
    reading = _Reading()
    steps = [reading.step(line) for line in lines]
    return [*reading.implied, *steps]


class _Reading:
    """Reads lines in their order.

    Attributes:
        implied: the beginnings of appends of which only the end is recorded.
    """

    def __init__(self) -> None:
        self.implied: list[Step] = []
        self._unanswered: dict[object, deque[tuple[str, object]]] = defaultdict(deque)
        self._guessed: set[object] = set()
        self._begun: set[object] = set()
        self._told: dict[object, tuple[str, object]] = {}
        self._written: dict[tuple[str, str], type] = {}

    def step(self, line: Line) -> Step:
        said = line.words("op")
        own: dict[str, Any] = {"line": line, "client": self._own_name(line, "client"), "time_ns": _time(line)}
        own["log"] = name_of(line, "log") if line.has("log") else ONE_LOG
        own["more"] = {f"history.{name}": told for name, told in line.said.items() if name not in FIELDS}
        if line.has(SERVED_BY):
            own["more"][SERVED_BY] = name_of(line, SERVED_BY)
        if said in ("invoke", "append"):
            return self._append(line, said, own | {"payload": payload_of(line)})
        if said == "read":
            return _read(line, own)
        if said not in OPERATIONS:
            known = ", ".join(["invoke", "append", "read", *OPERATIONS])
            raise line.refuse(UnknownRow(f"op {said!r:.40}", f"a history has {known}", "one of these"))
        did = OPERATIONS[said]
        offset = NOWHERE if did is Did.ASKED else line.whole("offset")
        name = ("id", self._own_name(line, "id")) if line.has("id") and did is not Did.BEGAN_AT else None
        return Step(did=did, offset=offset, name=name, **own)

    def _own_name(self, line: Line, field: str) -> str:
        """A name that is written in one way: 5 and "5" are two JSON values, and would be taken for one name.

        Raises:
            TraceError: it is no name, or another line writes it in another way.
        """
        name, sort = name_of(line, field), type(line.said[field])
        if self._written.setdefault((field, name), sort) is not sort:
            what, why = f"{field} is {line.said[field]!r:.40}", "another line has it as a number, or as text"
            raise line.refuse(Contradiction(what, why, "write each name in one way"))
        return name

    def _append(self, line: Line, said: str, own: dict[str, Any]) -> Step:
        if said == "invoke":
            began = self._begin(line, own)
            self._begun.add((own["client"], began))
            return Step(did=Did.INVOKED, name=began, **own)
        did = _outcome(line)
        offset = line.whole("offset") if did is Did.ACKNOWLEDGED else NOWHERE
        place = (own["client"], own["log"], own["payload"], offset)
        name = self._end(line, own, self._told.get(place))
        ended = Step(did=did, offset=offset, name=name, is_guess=name in self._guessed, **own)
        if (ended.client, name) not in self._begun:
            self._begun.add((ended.client, name))
            self.implied.append(
                replace(ended, did=Did.INVOKED, offset=NOWHERE, time_ns=None, more={BEGAN_UNKNOWN: True})
            )
        elif did is Did.ACKNOWLEDGED:
            self._told.setdefault(place, name)
        return ended

    def _begin(self, line: Line, own: dict[str, Any]) -> tuple[str, object]:
        """What an append is called that begins: by its client, or by its line."""
        if line.has("id"):
            return "id", self._own_name(line, "id")
        self._unanswered[own["client"], own["log"], own["payload"]].append(("line", line.number))
        return "line", line.number

    def _end(self, line: Line, own: dict[str, Any], told: tuple[str, object] | None) -> tuple[str, object]:
        """What an append is called that is answered: by its client, or by the line that began it.

        That is the first one without an answer; if there are others, it is a guess for all of them. Where none is left,
        the client may be told again what it was told: its records begin as it records, so no append that nobody
        recorded has this place.
        """
        if line.has("id"):
            return "id", self._own_name(line, "id")
        waiting = self._unanswered[own["client"], own["log"], own["payload"]]
        self._guessed.update(waiting if len(waiting) > 1 else ())
        return waiting.popleft() if waiting else told or ("line", line.number)


def name_of(line: Line, field: str) -> str:
    """A name, which may be a number.

    Raises:
        MissingField, NullValue, Mistyped: it is neither, with the file and line.
    """
    said = line.value(field)
    if type(said) is int and said.bit_length() <= 64:  # noqa: PLR2004
        return str(said)
    if not isinstance(said, str):
        raise line.refuse(Mistyped(f"{field} is {said!r:.40}", "it must be text or a whole number", "write text"))
    return line.words(field)


def payload_of(line: Line) -> Payload:
    """The payload of a line: any JSON value but null; a text is itself, anything else its shortest JSON.

    A text and a value that is written like it are two payloads.

    Raises:
        MissingField, NullValue, Mistyped: there is none, with the file and line.
    """
    said = line.value("value")
    if isinstance(said, str):
        return Payload(digest_of(line.words("value")), said)
    text = json.dumps(said, sort_keys=True, separators=(",", ":"))
    return Payload(digest_of(text, is_text=False), text)


def _read(line: Line, own: dict[str, Any]) -> Step:
    if line.has("outcome") and _outcome(line) is not Did.ACKNOWLEDGED:
        return Step(did=Did.LOST_ITS_PLACE, **own)
    return Step(did=Did.GIVEN, offset=line.whole("offset"), payload=payload_of(line), **own)


def _outcome(line: Line) -> Did:
    said = line.words("outcome")
    if said not in OUTCOMES:
        raise line.refuse(UnknownRow(f"outcome {said!r:.40}", f"known are {', '.join(OUTCOMES)}", "one of these"))
    return OUTCOMES[said]


def _time(line: Line) -> int | None:
    return line.whole("time_ns", 0, TIME_MAX) if line.has("time_ns") else None
