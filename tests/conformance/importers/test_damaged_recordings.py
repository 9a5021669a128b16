"""Damaged and foreign recordings: a named error with file and line, never a crash and never half a trace.

The house's rule: errors say what, where, why and what to try; bad input gives a named error, never a pass.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
import zstandard

from conformance.importers import commands
from conformance.importers.bookkeeper import import_bookkeeper
from conformance.importers.errors import Contradiction, UnknownRow
from conformance.importers.kafka import import_kafka
from conformance.importers.restate import import_restate
from conformance.trace.errors import (
    Damaged,
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
from tests.support.recorded_ledgers import sound as sound_bookkeeper
from tests.support.recordings import History, copies, on_all, write
from tests.support.restatectl import call, chain, described, digest, digested

Edit = Callable[[str], str]


def sound_kafka(folder: Path) -> Path:
    """A sound recording of Kafka."""
    history = History().append("p0", {0: 0, 1: 1}).deliver("reader", (0, 0, "p0:0"), (0, 1, "p0:1"))
    write(folder / "history.jsonl", history.rows)
    write(folder / "replicas.jsonl", copies(on_all((0, 0, "p0:0"), (0, 1, "p0:1")), pid=-1))
    return folder


def sound_restate(folder: Path) -> Path:
    """A sound recording of Restate."""
    write(folder / "client.jsonl", [call(1, "invoke", 1), call(2, "ok", 1, value="1")])
    looks = [
        described(1, chain(0, (1,))),
        digested(2, digest({1: "XX-"}, tail=2)),
        {"time_ns": 3, "fault": "restart", "node": "N1"},
    ]
    write(folder / "controller.jsonl", looks)
    return folder


def kafka(folder: Path) -> None:
    """Import what lies in a folder."""
    import_kafka(folder / "history.jsonl", replicas=folder / "replicas.jsonl")


def restate(folder: Path) -> None:
    """Import what lies in a folder."""
    import_restate(folder / "client.jsonl", folder / "controller.jsonl")


def bookkeeper(folder: Path) -> None:
    """Import what lies in a folder."""
    import_bookkeeper(*(folder / f"{name}.jsonl" for name in ("history", "metadata", "stored", "lists")))


def is_named(path: Path, edit: Edit, fault: type[TraceError], place: str, importing: Callable[[Path], None]) -> None:
    """A sound recording is imported; once a file of it was edited, the fault is told with the file and the place."""
    importing(path.parent)
    path.write_text(edit(path.read_text()))
    with pytest.raises(fault) as caught:
        importing(path.parent)
    assert place in caught.value.where
    assert path.name in caught.value.where
    assert caught.value.advice


def swap(old: str, new: str) -> Edit:
    """Replace the first occurrence of a text, which must be there."""

    def edit(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return edit


KAFKA: list[tuple[str, str, Edit, type[TraceError], str]] = [
    ("empty", "history", lambda _: "", Empty, ""),
    ("cut short", "history", lambda text: text[:-20], Truncated, "line 6"),
    ("not JSON", "history", swap('{"client"', '{client"'), Mistyped, "line 1"),
    ("a list", "history", lambda text: "[1]\n" + text, Mistyped, "line 1"),
    ("said twice", "history", swap('"seq": 0', '"seq": 0, "seq": 1'), Duplicated, "line 1"),
    ("no kind", "history", swap('"kind": "invoke_append", ', ""), MissingField, "line 1"),
    ("foreign kind", "history", swap("invoke_append", "reader_info"), UnknownRow, "line 1"),
    ("no offset", "history", swap(', "offset": 0', ""), MissingField, "line 3"),
    ("offset is null", "history", swap('"offset": 0', '"offset": null'), NullValue, "line 3"),
    ("offset is text", "history", swap('"offset": 0', '"offset": "0"'), Mistyped, "line 3"),
    ("offset below 0", "history", swap('"offset": 0', '"offset": -1'), Oversized, "line 3"),
    ("no time", "history", swap('"time_ns": 1000000000, ', ""), MissingField, "line 1"),
    ("no value", "history", swap(', "value": "p0:0"', ""), MissingField, "line 1"),
    ("another hash", "history", swap('"p0:0"', '"p0:0", "hash": "0000000000000000"'), Contradiction, "line 1"),
    ("half a hash", "history", swap('"value": "p0:0"', '"hash": "00000000"'), Mistyped, "line 1"),
    ("no hash", "history", swap('"p0:0"', '"p0:0", "hash": "none"'), Mistyped, "line 1"),
    ("invoked twice", "history", lambda text: text + text, Duplicated, "line 7"),
    (
        "no epoch anywhere",
        "history",
        swap('"p0:0", "offset": 0, "epoch": 0', '"x", "offset": 0'),
        MissingField,
        "line 5",
    ),
    ("given twice", "history", swap('"seq": 5', '"seq": 4'), Duplicated, "line 6"),
    ("held twice", "replicas", lambda text: text + text.partition("\n")[0] + "\n", Duplicated, "line 7"),
    ("no node", "replicas", swap('"node": 0, ', ""), MissingField, "line 1"),
    ("no epoch", "replicas", swap('"epoch": 0, ', ""), MissingField, "line 1"),
    ("an epoch of 64 bits", "replicas", swap('"epoch": 0', '"epoch": 4294967296'), Oversized, "line 1"),
]

RESTATE: list[tuple[str, str, Edit, type[TraceError], str]] = [
    ("foreign kind", "client", swap("invoke", "begin"), UnknownRow, "line 1"),
    ("no counter", "client", swap('"value": "1"', '"value": "one"'), Mistyped, "line 2"),
    ("a counter of a thousand digits", "client", swap('"value": "1"', f'"value": "{"1" * 5000}"'), Mistyped, "line 2"),
    ("no log", "controller", lambda text: text.splitlines()[2] + "\n", MissingField, ""),
    ("foreign fault", "controller", swap('"restart"', '"sulk"'), UnknownRow, "line 3"),
    ("a fault of nobody", "controller", swap('"N1"}', '"first"}'), Mistyped, "line 3"),
    ("a fault of two", "controller", swap('"N1"}', '"N1, N2"}'), Mistyped, "line 3"),
    ("no exit code", "controller", swap('"rc": 0, ', ""), MissingField, "line 1"),
    ("another kind of loglet", "controller", swap("replicated  0_0", "local  0_0"), UnknownRow, "line 1"),
    ("no segments", "controller", swap("segments shown", "segments"), MissingField, "line 1"),
    ("a foreign mark", "controller", swap("X    X    -", "X    Y    -"), UnknownRow, "line 2"),
    ("a mark too few", "controller", swap("X    X    -    ", ""), UnknownRow, "line 2"),
    ("no nodes", "controller", swap("OFFSET ", "OFFSET\\n "), MissingField, "line 2"),
    ("no tail", "controller", swap("Observed Global Tail", "Tail"), MissingField, "line 2"),
    ("no trim points", "controller", swap("TRIM POINT", "TRIM"), MissingField, "line 2"),
    ("a foreign scope", "controller", swap("{node: 2}", "{shelf: 2}"), Mistyped, "line 1"),
]


BOOKKEEPER: list[tuple[str, str, Edit, type[TraceError], str]] = [
    ("foreign kind", "history", swap("invoke_append", "begin"), UnknownRow, "line 2"),
    ("no entry", "history", swap(', "entry": 0', ""), MissingField, "line 3"),
    ("no client", "history", swap('"client": "w0", ', ""), MissingField, "line 1"),
    ("registered perhaps", "metadata", swap("true", '"perhaps"'), Mistyped, "line 1"),
    ("a node twice", "metadata", swap('"node": 1', '"node": 0'), Contradiction, ""),
    ("no base64", "metadata", swap('"data": "Qm', '"data": "?m'), Mistyped, "line 5"),
    ("no metadata", "metadata", swap('"data": "Qm', '"data": "Rm'), Mistyped, "line 5"),
    ("no session", "metadata", swap('"session": "0x1", ', ""), MissingField, "line 5"),
    ("a node too many", "stored", swap('"node": 0', '"node": 32768'), Oversized, "line 1"),
    ("no value", "stored", swap(', "value": "w0:0"', ""), MissingField, "line 1"),
    ("no list", "lists", swap('"data": "AAAA', '"data": "AAAB'), Contradiction, "line 1"),
]


@pytest.mark.parametrize(
    ("file", "edit", "fault", "place"), [case[1:] for case in BOOKKEEPER], ids=[case[0] for case in BOOKKEEPER]
)
def test_a_damaged_bookkeeper_recording_is_named(
    tmp_path: Path, file: str, edit: Edit, fault: type[TraceError], place: str
) -> None:
    is_named(sound_bookkeeper(tmp_path) / f"{file}.jsonl", edit, fault, place, bookkeeper)


@pytest.mark.parametrize(
    ("file", "edit", "fault", "place"), [case[1:] for case in KAFKA], ids=[case[0] for case in KAFKA]
)
def test_a_damaged_kafka_recording_is_named(
    tmp_path: Path, file: str, edit: Edit, fault: type[TraceError], place: str
) -> None:
    is_named(sound_kafka(tmp_path) / f"{file}.jsonl", edit, fault, place, kafka)


@pytest.mark.parametrize(
    ("file", "edit", "fault", "place"), [case[1:] for case in RESTATE], ids=[case[0] for case in RESTATE]
)
def test_a_damaged_restate_recording_is_named(
    tmp_path: Path, file: str, edit: Edit, fault: type[TraceError], place: str
) -> None:
    is_named(sound_restate(tmp_path) / f"{file}.jsonl", edit, fault, place, restate)


def test_a_client_with_the_name_of_a_node_is_named(tmp_path: Path) -> None:
    path = sound_kafka(tmp_path) / "history.jsonl"
    path.write_text(path.read_text().replace('"p0"', '"n0"'))
    with pytest.raises(Duplicated, match="it is a client and a node"):
        kafka(tmp_path)


def test_an_absent_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotReadable, match=r"history\.jsonl"):
        kafka(tmp_path)


def test_broken_zstd_is_named(tmp_path: Path) -> None:
    path = sound_kafka(tmp_path) / "history.jsonl"
    packed = zstandard.ZstdCompressor(write_checksum=True).compress(path.read_bytes())
    path.write_bytes(packed)
    kafka(tmp_path)
    path.write_bytes(packed[:-10])
    with pytest.raises(Truncated, match=r"history\.jsonl"):
        kafka(tmp_path)
    path.write_bytes(packed[:-1] + bytes([packed[-1] ^ 1]))
    with pytest.raises(Damaged, match=r"history\.jsonl"):
        kafka(tmp_path)


@pytest.mark.parametrize("system", ["kafka", "restate", "bookkeeper"])
def test_no_damage_crashes_an_import(tmp_path: Path, rng: Random, system: str) -> None:
    """Whatever bytes are changed, lost or repeated: a trace or a named error."""
    run = {"kafka": kafka, "restate": restate, "bookkeeper": bookkeeper}[system]
    folder = {"kafka": sound_kafka, "restate": sound_restate, "bookkeeper": sound_bookkeeper}[system](tmp_path)
    files = sorted(folder.iterdir())
    named = 0
    for _ in range(400):
        path = rng.choice(files)
        sound = path.read_bytes()
        path.write_bytes(_hurt(rng, sound))
        try:
            run(folder)
        except TraceError as error:
            named += bool(error.what and error.advice)
        path.write_bytes(sound)
    assert named > 100


def _hurt(rng: Random, sound: bytes) -> bytes:
    first, last = sorted(rng.randrange(len(sound)) for _ in range(2))
    last = min(last, first + rng.choice((1, 4, 40)))
    noise = bytes(rng.choice(b'0123456789-"{}[],: XNSE\n\xff') for _ in range(rng.randrange(3)))
    return rng.choice((sound[:first] + noise + sound[last:], sound[:last] + sound[first:], sound[:first]))


def test_nothing_is_written_when_an_import_fails(tmp_path: Path) -> None:
    sound_kafka(tmp_path)
    write(tmp_path / "replicas.jsonl", [{"node": 0}])
    with pytest.raises(MissingField):
        commands.kafka(tmp_path / "history.jsonl", tmp_path / "out.jsonl", replicas=tmp_path / "replicas.jsonl")
    assert not list(tmp_path.glob("*out*"))
