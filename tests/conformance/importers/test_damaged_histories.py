"""Damaged histories of clients and of NATS: a named error with file and line, never a crash and never half a trace.

The house's rule: errors say what, where, why and what to try; bad input gives a named error, never a pass.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from conformance.importers import commands
from conformance.importers.errors import Contradiction, UnknownRow
from conformance.importers.history import import_history
from conformance.importers.nats import import_nats
from conformance.trace.errors import (
    Duplicated,
    Empty,
    MissingField,
    Mistyped,
    NotReadable,
    NullValue,
    Oversized,
    TraceError,
    Truncated,
)
from tests.support.recordings import write

Edit = Callable[[str], str]
Case = tuple[str, Edit, type[TraceError], str]

NATS = [
    {"client": "p0", "seq": 0, "time_ns": 1, "kind": "invoke_append", "log": "S", "value": "a"},
    {"client": "p0", "seq": 0, "time_ns": 2, "kind": "ack", "log": "S", "value": "a", "offset": 1, "duplicate": False},
    {"client": "reader", "seq": 0, "time_ns": 3, "kind": "deliver", "log": "S", "value": "a", "offset": 1},
    {"client": "reader", "seq": 1, "time_ns": 4, "kind": "reader_info", "log": "S", "node": "n0", "num_pending": 0},
    {"client": "get", "seq": 1, "time_ns": 5, "kind": "deliver_get", "log": "S", "value": "a", "offset": 1},
    {"client": "get", "seq": 2, "time_ns": 6, "kind": "get_missing", "log": "S", "offset": 2},
]

PLAIN = [
    {"op": "invoke", "client": "w", "value": "a", "time_ns": 1},
    {"op": "append", "client": "w", "value": "a", "outcome": "ok", "offset": 0, "time_ns": 2},
    {"op": "seek", "client": "r", "offset": 0, "time_ns": 3},
    {"op": "read", "client": "r", "value": "a", "offset": 0, "time_ns": 4},
    {"op": "ask", "client": "r", "time_ns": 5},
    {"op": "end", "client": "r", "offset": 1, "time_ns": 6},
]

JEPSEN = [
    {"type": "invoke", "process": 0, "f": "send", "value": [["send", 4, 1]], "time": 1},
    {"type": "ok", "process": 0, "f": "send", "value": [["send", 4, [0, 1]]], "time": 2},
    {"type": "invoke", "process": 1, "f": "poll", "value": [["poll"]], "time": 3},
    {"type": "ok", "process": 1, "f": "poll", "value": [["poll", {"4": [[0, 1]]}]], "time": 4},
]

PORCUPINE = [
    {"ClientId": 0, "Kind": False, "Value": {"op": "append", "value": "a"}, "Id": 0},
    {"ClientId": 0, "Kind": True, "Value": {"outcome": "ok", "offset": 0}, "Id": 0},
    {"ClientId": 1, "Kind": False, "Value": {"op": "read", "offset": 0}, "Id": 1},
    {"ClientId": 1, "Kind": True, "Value": {"outcome": "ok", "offset": 0, "value": "a"}, "Id": 1},
]

SOUND = {"nats": NATS, "plain": PLAIN, "jepsen": JEPSEN, "porcupine": PORCUPINE}


def swap(old: str, new: str) -> Edit:
    """Replace the first occurrence of a text, which must be there."""

    def edit(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return edit


OF_ANY: list[Case] = [
    ("empty", lambda _: "", Empty, ""),
    ("cut short", lambda text: text[:-5], Truncated, "line"),
    ("not JSON", lambda text: "{" + text, Mistyped, "line 1"),
    ("a list", lambda text: "[1]\n" + text, Mistyped, "line 1"),
    ("foreign", lambda text: '{"ts": 1}\n' + text, TraceError, "line 1"),
]

OF_NATS: list[Case] = [
    ("foreign kind", swap("invoke_append", "publish"), UnknownRow, "line 1"),
    ("no offset", swap(', "offset": 1', ""), MissingField, "line 2"),
    ("sequence 0", swap('"offset": 1', '"offset": 0'), Oversized, "line 2"),
    ("a sequence of a hundred digits", swap('"offset": 1', f'"offset": {"1" * 100}'), Oversized, "line 2"),
    ("duplicate is text", swap("false", '"no"'), Mistyped, "line 2"),
    ("no time", swap('"time_ns": 3, ', ""), MissingField, "line 3"),
    ("no value", swap(', "value": "a", "offset": 1}', ', "offset": 1}'), MissingField, "line 3"),
    ("pending is null", swap('"num_pending": 0', '"num_pending": null'), NullValue, "line 4"),
    ("the name of the books", swap('"client": "reader"', '"client": "books"'), Duplicated, "history.jsonl"),
    ("acknowledged twice", lambda text: text + text.splitlines()[1] + "\n", Contradiction, "line 7"),
]

OF_PLAIN: list[Case] = [
    ("foreign op", swap('"invoke"', '"publish"'), UnknownRow, "line 1"),
    ("no client", swap('"client": "w", ', ""), MissingField, "line 1"),
    ("client is a list", swap('"client": "w"', '"client": ["w"]'), Mistyped, "line 1"),
    ("value is null", swap('"value": "a"', '"value": null'), NullValue, "line 1"),
    ("half a character", swap('"value": "a"', '"value": "\\ud800"'), Mistyped, "line 1"),
    ("no outcome", swap('"outcome": "ok", ', ""), MissingField, "line 2"),
    ("foreign outcome", swap('"ok"', '"fine"'), UnknownRow, "line 2"),
    ("no offset", swap('"offset": 0, ', ""), MissingField, "line 2"),
    ("offset below 0", swap('"offset": 0', '"offset": -1'), Oversized, "line 2"),
    ("offset is text", swap('"offset": 0', '"offset": "0"'), Mistyped, "line 2"),
    ("a time beyond all", swap('"time_ns": 1}', f'"time_ns": {1 << 63}}}'), Oversized, "line 1"),
    ("the read's own value", swap('"value": "a", "offset": 0, "time_ns": 4', '"offset": 0'), MissingField, "line 4"),
]

CASES = [
    *((form, *case) for form in SOUND for case in OF_ANY),
    *(("nats", *case) for case in OF_NATS),
    *(("plain", *case) for case in OF_PLAIN),
    ("jepsen", "time is text", swap('"time": 1', '"time": "1"'), Mistyped, "line 1"),
    ("jepsen", "no process", swap('"ok", "process": 0', '"ok"'), MissingField, "line 2"),
    ("porcupine", "no value", swap('"Value": {"op": "append", "value": "a"}, ', ""), MissingField, "line 1"),
    ("porcupine", "a client's name", swap('"ClientId": 0', '"ClientId": "zero"'), Mistyped, "line 1"),
]


def run(form: str, path: Path) -> None:
    """Import a history."""
    if form == "nats":
        import_nats(path)
    else:
        import_history(path)


@pytest.mark.parametrize(
    ("form", "edit", "fault", "place"),
    [(form, *case) for form, _, *case in CASES],
    ids=[f"{form}: {name}" for form, name, *_ in CASES],
)
def test_a_damaged_history_is_named(tmp_path: Path, form: str, edit: Edit, fault: type[TraceError], place: str) -> None:
    path = write(tmp_path / "history.jsonl", SOUND[form])
    run(form, path)
    path.write_text(edit(path.read_text()))
    with pytest.raises(fault) as caught:
        run(form, path)
    assert place in caught.value.where
    assert path.name in caught.value.where
    assert caught.value.advice


@pytest.mark.parametrize("form", SOUND)
def test_no_damage_crashes_an_import(tmp_path: Path, rng: Random, form: str) -> None:
    """Whatever bytes are changed, lost or repeated: a trace or a named error."""
    path = write(tmp_path / "history.jsonl", SOUND[form])
    sound, named = path.read_bytes(), 0
    for _ in range(300):
        first, last = sorted(rng.randrange(len(sound)) for _ in range(2))
        last = min(last, first + rng.choice((1, 4, 40)))
        noise = bytes(rng.choice(b'0123456789-"{}[],: tfn\n\xff') for _ in range(rng.randrange(3)))
        path.write_bytes(
            rng.choice((sound[:first] + noise + sound[last:], sound[:last] + sound[first:], sound[:first]))
        )
        try:
            run(form, path)
        except TraceError as error:
            named += bool(error.what and error.advice)
    assert named > 100


@pytest.mark.parametrize("form", SOUND)
def test_an_absent_history_is_named(tmp_path: Path, form: str) -> None:
    with pytest.raises(NotReadable, match=r"history\.jsonl"):
        run(form, tmp_path / "history.jsonl")


def test_nothing_is_written_when_an_import_fails(tmp_path: Path) -> None:
    path = write(tmp_path / "history.jsonl", [*PLAIN, {"op": "read"}])
    with pytest.raises(MissingField):
        commands.history(path, tmp_path / "out.jsonl")
    with pytest.raises(TraceError):
        commands.nats(path, tmp_path / "out.parquet")
    assert not list(tmp_path.glob("*out*"))
