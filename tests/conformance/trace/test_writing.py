"""Writing: whole or not at all, and nothing that a reader would refuse (house rule: nothing half-written)."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from conformance.trace import jsonl, parquet_writing
from conformance.trace.commands import convert
from conformance.trace.errors import (
    Duplicated,
    MissingField,
    Mistyped,
    NotWritable,
    NullValue,
    Oversized,
    TraceError,
    UnknownKind,
    UnknownRecorder,
)
from conformance.trace.open import open_trace
from tests.support.traces import HEADER, Event, small_events, write_small

FORMS = [(jsonl, "t.jsonl"), (jsonl, "t.jsonl.zst"), (parquet_writing, "t.parquet")]


class PowerCut(BaseException):
    """What no handler of errors expects."""


def cut_after(events: list[Event]) -> Iterator[Event]:
    """Give some events, then break."""
    yield from events
    raise PowerCut


@pytest.mark.parametrize(("module", "name"), FORMS)
@pytest.mark.parametrize("before", [None, b"what was there"])
def test_a_failure_leaves_nothing_behind(tmp_path: Path, module: ModuleType, name: str, before: bytes | None) -> None:
    """Neither a half file nor a temporary one; what stood there before is untouched."""
    path = tmp_path / name
    if before is not None:
        path.write_bytes(before)
    with pytest.raises(PowerCut):
        module.write_events(path, HEADER, cut_after(small_events() * 3))
    assert [(item.name, item.read_bytes()) for item in tmp_path.iterdir()] == ([(name, before)] if before else [])


@pytest.mark.parametrize("name", [name for _, name in FORMS])
def test_a_damaged_source_leaves_no_target(tmp_path: Path, name: str) -> None:
    source = write_small(tmp_path / "source.jsonl")
    source.write_bytes(source.read_bytes()[:-30])
    with pytest.raises(TraceError):
        convert(source, tmp_path / name)
    assert [item.name for item in tmp_path.iterdir()] == ["source.jsonl"]


@pytest.mark.parametrize(("module", "name"), FORMS)
def test_the_name_appears_only_when_all_is_written(tmp_path: Path, module: ModuleType, name: str) -> None:
    def watched() -> Iterator[Event]:
        for event in small_events():
            assert not (tmp_path / name).exists()
            yield event

    assert module.write_events(tmp_path / name, HEADER, watched()) == len(small_events())
    assert [item.name for item in tmp_path.iterdir()] == [name]


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_others_may_read_what_the_mask_lets_them(tmp_path: Path) -> None:
    """A temporary name must not make the trace private."""
    (tmp_path / "plain").write_bytes(b"")
    write_small(tmp_path / "trace.jsonl")
    assert (tmp_path / "trace.jsonl").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.parametrize(("module", "name"), FORMS)
def test_an_unwritable_target_is_named(tmp_path: Path, module: ModuleType, name: str) -> None:
    (tmp_path / name).mkdir()
    for target in (tmp_path / "absent" / name, tmp_path / name):
        with pytest.raises(NotWritable) as caught:
            module.write_events(target, HEADER, small_events())
        assert str(target) in caught.value.where
    assert list((tmp_path / name).iterdir()) == []


WRONG: dict[str, tuple[type[TraceError], Callable[[Event], Any]]] = {
    "kind unknown": (UnknownKind, lambda event: event.update(kind=99)),
    "kind as a word": (Mistyped, lambda event: event.update(kind="store")),
    "recorder unknown": (UnknownRecorder, lambda event: event.update(recorder="nobody")),
    "field missing": (MissingField, lambda event: event.pop("node")),
    "field None": (NullValue, lambda event: event.update(esn=None)),
    "number too wide": (Oversized, lambda event: event.update(arg=1 << 40)),
    "node beyond the topology": (Oversized, lambda event: event.update(node=5)),
    "set as a list": (Mistyped, lambda event: event.update(nodes=[1])),
    "time beyond 2116": (Oversized, lambda event: event.update(time_ns=1 << 62)),
    "unknown field of a known name": (Duplicated, lambda event: event.update(extra={"copyset": [1]})),
    "unknown field without JSON": (Mistyped, lambda event: event.update(extra={"x": object()})),
    "unknown field NaN": (Mistyped, lambda event: event.update(extra={"x": float("nan")})),
}


@pytest.mark.parametrize(("module", "name"), FORMS)
@pytest.mark.parametrize("wrong", WRONG)
def test_what_no_reader_takes_is_not_written(tmp_path: Path, module: ModuleType, name: str, wrong: str) -> None:
    error, change = WRONG[wrong]
    event = small_events()[3]
    change(event)
    with pytest.raises(error) as caught:
        module.write_events(tmp_path / name, HEADER, [small_events()[0], event])
    assert caught.value.where == f"{tmp_path / name}, event 2"
    assert list(tmp_path.iterdir()) == []


def test_json_lines_are_for_people(tmp_path: Path) -> None:
    """Fields have the names of the event classes, sets are lists, text is text, and what is unknown is left out."""
    lines = write_small(tmp_path / "t.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[0])["quorate_trace"] == "1.0"
    assert (
        lines[4]
        == (
            '{"kind":"store","recorder":"n0","seq":2,"time_ns":1002,"log":1,"digest":-7,"epoch":1,"esn":1,"node":0,"wave":1,'
            '"becomes":0,"recovery":0,"copyset":[0,3],"payload":"füll"}'
        )
        or json.loads(lines[4])["payload"] == "füll"
    )
    assert "digest" not in json.loads(lines[5])
    assert json.loads(lines[-1]) == {"quorate_end": len(small_events())}


def test_other_writers_need_no_last_line(tmp_path: Path) -> None:
    """An adapter in any language writes a header and events, in any order of fields, with empty lines if it likes."""
    lines = write_small(tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()
    header = {name: value for name, value in json.loads(lines[0]).items() if name not in ("end_line", "sorted")}
    events = [json.dumps(dict(reversed(json.loads(line).items()))) for line in lines[1:-1]]
    (tmp_path / "b.jsonl").write_text("\r\n\r\n".join([json.dumps(header), *events]), encoding="utf-8")
    trace = open_trace(tmp_path / "b.jsonl")
    assert not trace.sorted
    assert list(trace.events()) == small_events()


def test_an_unsorted_trace_has_books_as_long_as_it_has_all_its_files(tmp_path: Path) -> None:
    """docs/reference/trace-format.md: files say of how many events in all."""
    events, folder = list(small_events()), tmp_path / "run"
    folder.mkdir()
    for number, some in enumerate((events[1::2], events[::2])):
        parquet_writing.write_events(folder / f"{number}.parquet", HEADER, some, books_of=len(events))
    whole = open_trace(folder)
    assert (whole.sorted, whole.has_books) == (False, True)
    convert(folder, tmp_path / "one.parquet")
    assert open_trace(tmp_path / "one.parquet").has_books
    (folder / "1.parquet").unlink()
    assert not open_trace(folder).has_books
    convert(folder, tmp_path / "part.parquet")
    assert not open_trace(tmp_path / "part.parquet").has_books
