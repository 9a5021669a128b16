"""Histories in Porcupine's forms, as JSON lines: calls and returns of clients, or whole operations with their times.

Source: anishathalye/porcupine, model.go (``Event``: ClientId, Kind, Value, Id; ``Operation``: ClientId, Input, Call,
Output, Return) and checker.go (events are in the order in which they happened; of equal times calls come before
returns). Go writes these structures with these names. What the values of a log are is up to whoever records; here they
are objects with the words of the plain form: ``{"op": "append", "value": "a"}``, ``{"outcome": "ok", "offset": 3}``. An
operation that never returned has the greatest of all times, as is usual there; its time is then not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from conformance.importers.errors import Contradiction, UnknownRow
from conformance.importers.lines import Line
from conformance.trace.typed import mapping
from spec.language.limits import TIME_MAX

EVENT_FIELDS: Final = frozenset({"ClientId", "Kind", "Id"})
OPERATION_FIELDS: Final = frozenset({"ClientId", "Input", "Call"})
"""What tells these forms from others."""

KINDS: Final = {False: True, True: False, "call": True, "return": False}
"""Whether an event is a call; Go writes a CallEvent as false, and a ReturnEvent as true."""

BEGINNINGS: Final = {"append": "invoke", "read": "ask", "end": "ask"}
"""How the operations of a log begin in the plain form."""


class _Moment(NamedTuple):
    """A call or a return."""

    line: Line
    client: Any
    name: Any
    is_call: bool
    value: Mapping[str, Any]
    time_ns: int | None


def plain_rows(lines: Iterable[Line]) -> Iterator[Line]:
    """The same history in the plain form.

    Raises:
        TraceError: one of its kinds, with the file and line, for whatever is wrong.
    """
    calls: dict[Any, _Moment] = {}
    for moment in _moments(list(lines)):
        call = calls.get(moment.name)
        if moment.is_call and call is None:
            calls[moment.name] = moment
            yield _beginning(moment)
        elif not moment.is_call and call is not None and call.client == moment.client:
            del calls[moment.name]
            yield from _end(call, moment)
        else:
            fault = "is called twice" if moment.is_call else "returns to somebody who has not called it"
            why, advice = "an operation is called, and returns to its client", "give each operation an Id of its own"
            raise moment.line.refuse(Contradiction(f"operation {moment.name} {fault}", why, advice))


def _moments(lines: list[Line]) -> list[_Moment]:
    """The calls and returns of a history in the order in which they happened."""
    if lines and lines[0].said.keys() >= OPERATION_FIELDS:
        both = [moment for line in lines for moment in _of_operation(line)]
        return sorted(both, key=lambda moment: (moment.time_ns or 0, not moment.is_call))
    return [_of_event(line) for line in lines]


def _of_event(line: Line) -> _Moment:
    kind = line.value("Kind")
    if not isinstance(kind, bool | str) or kind not in KINDS:
        raise line.refuse(UnknownRow(f"Kind is {kind!r:.40}", "false is a call, true a return", "one of these"))
    return _Moment(line, line.whole("ClientId"), line.whole("Id"), KINDS[kind], _object(line, "Value"), None)


def _of_operation(line: Line) -> Iterator[_Moment]:
    client = line.whole("ClientId")
    call, returned = line.whole("Call"), line.whole("Return")
    if returned < call:
        raise line.refuse(Contradiction("an operation returns before its call", f"{returned} < {call}", "one clock"))
    yield _Moment(line, client, line.number, True, _object(line, "Input"), call)
    yield _Moment(line, client, line.number, False, _object(line, "Output"), returned)


def _beginning(call: _Moment) -> Line:
    operation = call.value.get("op")
    if not isinstance(operation, str) or operation not in BEGINNINGS:
        what, known = f"op is {operation!r:.40}", f"a log has {', '.join(BEGINNINGS)}"
        raise call.line.refuse(UnknownRow(what, known, 'a call of {"op": "append", "value": ...}'))
    return _row(call, **{**call.value, "op": BEGINNINGS[operation]})


def _end(call: _Moment, returned: _Moment) -> Iterator[Line]:
    """What a return says; who reads from an offset of its own goes on from there."""
    if call.value["op"] == "read" and "offset" in call.value:
        yield _row(call, op="seek", offset=call.value["offset"])
    yield _row(returned, **{**call.value, **returned.value})


def _row(moment: _Moment, **said: Any) -> Line:
    own: dict[str, Any] = {"client": moment.client, "id": moment.name}
    if moment.time_ns is not None and moment.time_ns <= TIME_MAX:
        own["time_ns"] = moment.time_ns
    return Line({**said, **own}, moment.line.path, moment.line.number)


def _object(line: Line, name: str) -> Mapping[str, Any]:
    with line.placing():
        return mapping(name, line.value(name))
