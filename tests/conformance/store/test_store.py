"""What a store reads and judges again, what it tells, and what it refuses.

Justified by the promise of ``quorate check --store``: cost in proportion to what was added, counted in ranges.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from conformance.cli import main
from conformance.generate.truth import NAME
from conformance.store import store as stores
from conformance.store.errors import Altered, InUse, NoStore, OtherTrace
from conformance.store.locking import locked
from conformance.store.numbers_seen import count_of, stretches_of, together
from conformance.store.sources import header_of, new_slices, unread
from conformance.store.store import Batch, Store
from conformance.store.telling import Settle, read_violations
from conformance.trace import jsonl, parquet_writing
from conformance.trace.delta import files_of
from conformance.trace.errors import Duplicated, HeadersDiffer, Truncated
from conformance.trace.json_text import encode
from spec.events import Store as Stored
from spec.language.outcomes import Violation
from spec.verdicts import ExitCode
from tests.support.planted import HEADER, RULES, events, truth, write

Event = dict[str, Any]

OTHER = replace(HEADER, promises={"copies": 2})


def add(store: Store, source: Path, settle: Settle = Settle(), **how: Any) -> Batch:  # noqa: B008 - it does not change
    read = {name: one.size for name, one in store.state.read.items()}
    return store.append(new_slices(source, read, growing=False), settle, **how)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "source").mkdir()
    return tmp_path / "source"


@pytest.fixture
def opened(tmp_path: Path) -> Callable[..., Store]:
    return lambda **how: Store(tmp_path / "store", HEADER, **({"length": 100} | how))


def test_only_ranges_that_got_events_are_judged_again(source: Path, opened: Callable[..., Store]) -> None:
    every = events()
    late = [event for event in every if event["log"] == 77]
    write(source / "1.parquet", [event for event in every if event["log"] != 77])
    first = add(opened(), source)
    assert first.judged == first.ranges >= len(every) // 100
    write(source / "2.jsonl", late)
    second = add(opened(), source)
    assert (second.events, second.judged) == (len(late), 1)
    assert add(opened(), source).judged == 0


def test_a_changed_rule_is_judged_again(
    source: Path, opened: Callable[..., Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(source / "1.parquet", events())
    ranges = add(opened(), source).ranges
    monkeypatch.setattr(stores, "version_of", lambda _: "another")
    assert add(opened(), source).judged == ranges


def test_what_comes_again_counts_once(source: Path, opened: Callable[..., Store]) -> None:
    every = events()
    write(source / "1.parquet", every)
    add(opened(), source)
    write(source / "2.jsonl", every[:50])
    with pytest.raises(Duplicated):
        add(opened(), source)
    batch = add(opened(may_double=True), source)
    assert (batch.events, batch.doubled, batch.judged) == (0, 50, 0)


def test_another_event_of_the_same_name_is_refused(source: Path, opened: Callable[..., Store]) -> None:
    every = events()
    write(source / "1.parquet", every)
    add(opened(), source)
    write(source / "2.jsonl", [{**every[3], "time_ns": 7}])
    store = opened(may_double=True)
    with pytest.raises(Duplicated):
        add(store, source)
    assert (store.state.events, opened().state.events) == (len(every), len(every))


def test_each_violation_is_told_once_when_it_has_stood_long_enough(
    tmp_path: Path, source: Path, opened: Callable[..., Store]
) -> None:
    every = events()
    told: list[Violation] = []
    for number in range(0, len(every), 150):
        write(source / f"{number:04}.jsonl", every[number : number + 150])
        told += add(opened(), source, Settle(events=150)).told.violations
    assert set(told) < truth()
    told += add(opened(), source, Settle(events=150), is_whole=True).told.violations
    assert sorted(told) == sorted(truth())
    assert read_violations(tmp_path / "store" / "violations", 100) == truth()


def test_what_came_too_late_undoes_a_violation_that_was_told(source: Path, opened: Callable[..., Store]) -> None:
    every = [event for event in events() if event["log"] == 0]
    write(source / "1.jsonl", [event for event in every if event["kind"] != Stored.kind])
    told = add(opened(), source, is_whole=True).told.violations
    assert told
    write(source / "2.jsonl", [event for event in every if event["kind"] == Stored.kind])
    assert set(add(opened(), source).told.late) == set(told)
    assert not add(opened(), source).told.late


def test_what_a_killed_batch_had_begun_to_tell_is_told_by_the_next(
    tmp_path: Path, source: Path, opened: Callable[..., Store]
) -> None:
    write(source / "1.parquet", events())
    state = opened().folder / "state.json"
    add(opened(), source, is_whole=True)
    state.unlink()
    assert set(add(opened(), source, is_whole=True).told.violations) == truth()
    assert len(list((tmp_path / "store" / "violations").glob("*.parquet"))) == 1


def test_readers_of_delta_see_what_was_told_whatever_was_killed(
    tmp_path: Path, source: Path, opened: Callable[..., Store]
) -> None:
    """A table that lacks the last batch, whose state was written, gets it as soon as the store is opened."""
    every, table = events(), tmp_path / "store" / "violations"
    for number in range(0, len(every), 150):
        write(source / f"{number:04}.jsonl", every[number : number + 150])
        store = opened()
        add(store, source, Settle(events=150))
        there = files_of(table) if store.violations else []
        assert sum(pq.read_metadata(path).num_rows for path in there) == len(store.violations)
    assert len(files_of(table)) > 1
    before, commits = files_of(table), sorted((table / "_delta_log").iterdir())
    commits[-1].unlink()
    assert files_of(table) != before
    opened()
    assert files_of(table) == before


DAMAGES: dict[str, Callable[[str], str]] = {
    "cut short": lambda text: text[: len(text) // 2],
    "empty": lambda _: "",
    "a list": lambda _: "[]",
    "layers in a list": lambda text: text.replace('"layers":{', '"layers":[],"was":{', 1),
    "without ranges": lambda text: text.replace('"layers"', '"players"'),
    "another kind of header": lambda text: text.replace('"header":{', '"header":[],"was":{', 1),
    "another version": lambda text: text.replace('"quorate_store":', '"quorate_store":9'),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_store_is_refused(damage: str, source: Path, opened: Callable[..., Store]) -> None:
    write(source / "1.parquet", events())
    add(opened(), source, is_whole=True)
    state = opened().folder / "state.json"
    state.write_text(DAMAGES[damage](state.read_text()))
    with pytest.raises(NoStore):
        opened()


def test_a_stream_s_batch_is_taken_in_once(source: Path, opened: Callable[..., Store]) -> None:
    write(source / "1.parquet", events())
    slices = new_slices(source, {}, growing=True)
    assert opened().append(slices, stream=4).events == len(events())
    assert opened().append(slices, stream=4).events == 0


def test_files_may_get_lines_and_nothing_else(source: Path, opened: Callable[..., Store]) -> None:
    every, path = events(), source / "1.jsonl"
    lines = jsonl_of(source, every)
    path.write_bytes(b"".join(lines[:101]) + lines[101][:20])
    read = new_slices(source, {}, growing=True)
    assert read[-1].end == sum(map(len, lines[:101]))
    store = opened()
    store.append(read)
    path.write_bytes(b"".join(lines))
    assert add(store, source).events == len(every) - 100
    path.write_bytes(b"".join(lines[:50]))
    with pytest.raises(Altered):
        add(store, source)
    parquet_writing.write_events(source / "2.parquet", HEADER, every[:5])
    with pytest.raises(Altered):
        new_slices(source / "2.parquet", {"2.parquet": 1}, growing=True)


@pytest.mark.parametrize("grows", [True, False])
def test_other_bytes_where_a_file_was_left_are_noticed(
    source: Path, opened: Callable[..., Store], capsys: pytest.CaptureFixture[str], *, grows: bool
) -> None:
    """Where lines are added to it, whoever reads them; and at the beginning of each check where none are."""
    every, path = events(), source / "1.jsonl"
    lines = jsonl_of(source, every)[:-1]
    path.write_bytes(b"".join(lines[:101]))
    add(opened(), source)
    changed = lines[100].replace(b'"time_ns":', b'"time_ns":1', 1)
    path.write_bytes(b"".join([*lines[:99], lines[99][1:], changed, *(lines[101:] if grows else ())]))
    assert main(["check", str(source), "--store", str(opened().folder), "--quiet"]) == ExitCode.UNKNOWN
    assert "other bytes before byte" in capsys.readouterr().err
    if grows:
        with pytest.raises(Altered, match="other bytes before byte"):
            add(opened(), source)
    path.write_bytes(b"".join(lines))
    assert add(opened(), source).events == len(every) - 100


def jsonl_of(source: Path, every: list[Event]) -> list[bytes]:
    path = source.with_name("whole.jsonl")
    jsonl.write_events(path, HEADER, every)
    return path.read_bytes().splitlines(keepends=True)


def test_the_last_line_counts_what_a_file_has(source: Path, opened: Callable[..., Store]) -> None:
    lines = jsonl_of(source, events())
    (source / "1.jsonl").write_bytes(b"".join([*lines[:7], lines[-1]]))
    with pytest.raises(Truncated):
        add(opened(), source)


def test_a_file_of_the_header_alone(source: Path, opened: Callable[..., Store]) -> None:
    first, *lines = jsonl_of(source, events())
    (source / "header.json").write_bytes(first)
    (source / "1.jsonl").write_bytes(b"".join(lines[:-1]))
    assert add(opened(), source).events == len(events())


def test_the_first_line_of_a_file_may_become_the_header_of_all(source: Path, opened: Callable[..., Store]) -> None:
    """What it says of its own file, such as that a last line counts its events, is not of the trace."""
    first, *lines = jsonl_of(source, events())
    (source / "1.jsonl").write_bytes(b"".join([first, *lines[:100]]))
    add(opened(), source)
    (source / "header.json").write_bytes(first)
    (source / "2.jsonl").write_bytes(b"".join(lines[100:-1]))
    header = header_of(source)
    assert header is not None
    assert add(Store(opened().folder, header, length=100), source).events == len(events()) - 100


def test_only_what_a_delta_table_has_now(source: Path, opened: Callable[..., Store]) -> None:
    """Files that it had before, or has not yet, lie beside those that it has."""
    every, log = events(), source / "_delta_log"
    for number in range(3):
        write(source / f"{number}.parquet", every[300 * number : 300 * number + 300])
    log.mkdir()
    (log / f"{0:020}.json").write_bytes(encode({"add": {"path": "0.parquet"}}))
    changes = ({"remove": {"path": "0.parquet"}}, {"add": {"path": "1.parquet"}})
    (log / f"{1:020}.json").write_bytes(b"\n".join(map(encode, changes)))
    assert add(opened(), source).events == 300
    assert list(opened().state.read) == ["1.parquet"]
    assert unread(source, {}) == (source / "1.parquet").stat().st_size
    (log / f"{2:020}.json").write_bytes(encode({"add": {"path": "2.parquet"}}))
    assert add(opened(), source).events == 300
    assert list(opened().state.read) == ["1.parquet", "2.parquet"]


def test_what_was_generated_can_be_watched(source: Path, opened: Callable[..., Store]) -> None:
    """The truth of a generated trace lies beside its files, and sorts before some of their names."""
    write(source / "0.parquet", events())
    (source / NAME).write_text('{"quorate_truth": 1}')
    assert add(opened(), source).events == len(events())


def test_refuses_what_is_not_its_own(tmp_path: Path, source: Path, opened: Callable[..., Store]) -> None:
    write(source / "1.parquet", events())
    add(opened(), source)
    with pytest.raises(OtherTrace):
        Store(tmp_path / "store", OTHER)
    parquet_writing.write_events(source / "2.parquet", OTHER, events()[:5])
    with pytest.raises(HeadersDiffer):
        add(opened(), source)
    with pytest.raises(NoStore):
        Store(source, HEADER)
    with locked(tmp_path / "store"), pytest.raises(InUse), locked(tmp_path / "store"):
        pass


def test_numbers_are_kept_as_stretches() -> None:
    found = stretches_of(np.array([0, 0, 1, 0]), np.array([4, 3, 9, 7]), ["a", "b"])
    assert found == {"a": [(3, 4), (7, 7)], "b": [(9, 9)]}
    assert together([found, {"a": [(5, 6)]}]) == {"a": [(3, 7)], "b": [(9, 9)]}
    assert count_of(found) == 4


def test_the_command_tells_what_was_new(tmp_path: Path, source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = str(tmp_path / "store")
    write(source / "1.parquet", [event for event in events() if event["log"] % 3 != 1])
    assert main(["check", str(source), "--store", store, "--quiet"]) == 0
    write(source / "2.parquet", [event for event in events() if event["log"] % 3 == 1])
    assert main(["check", str(source), "--store", store, "--quiet"]) == 1
    said = capsys.readouterr().out
    assert "new: 300 of 900 events" in said
    assert f"{RULES[0]}" in said
    assert main(["check", str(source), "--store", store, "--engine", "python"]) == 4
