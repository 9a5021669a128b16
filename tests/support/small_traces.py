"""Small traces with a header, written by hand, as files: what tests of checking and of the command judge."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

from conformance.trace import jsonl, parquet_writing
from conformance.trace.commands import sort
from conformance.trace.files import is_parquet_name
from conformance.trace.header import Header, Member, Recorder, System
from spec.events import CRASH, SKIPPED, Ack, Deliver, Erase, Fault, Gap, Invoke, NewEpoch, Read, Store
from tests.support.tiny import at

CLIENTS: Final = ("invoke", "ack", "fail", "indefinite", "read", "deliver", "gap")
EVERYTHING: Final = (*CLIENTS, "store", "erase", "epoch", "fault")

Event = dict[str, Any]


def header(
    *,
    records: tuple[str, ...] = EVERYTHING,
    partial: tuple[str, ...] = (),
    promises: Mapping[str, bool | int] | None = None,
) -> Header:
    """A header of three nodes and one recorder."""
    kinds: dict[str, Literal["complete", "partial"]] = dict.fromkeys(records, "complete")
    kinds |= dict.fromkeys(partial, "partial")
    return Header(
        system=System("tiny", "1"),
        members={"nodes": tuple(Member(f"n{number}") for number in range(3))},
        recorders={"all": Recorder("controller", kinds)},
        named={"logs": {1: "orders"}},
        clock_bound_ns=0,
        promises={"copies": 1} if promises is None else promises,
    )


def sound() -> list[Event]:
    """One append that is stored, acknowledged and delivered."""
    return [
        at(NewEpoch, 1, 0, sequencer=0, nodeset=frozenset({0, 1, 2}), replication={"node": 1}),
        at(Invoke, writer=7, digest=11),
        at(Store, 1, 1, node=0, digest=11, becomes=0, wave=1, recovery=0, copyset=frozenset({0})),
        at(Ack, 1, 1, writer=7, digest=11, copyset=frozenset({0}), required=1),
        at(Read, 1, 1, reader=3),
        at(Deliver, 1, 1, reader=3, digest=11),
    ]


def lost() -> list[Event]:
    """An acknowledged record that a reader passed over, because another took its number in the next epoch."""
    return [
        *sound()[:4],
        at(Fault, node=0, what=CRASH),
        at(NewEpoch, 2, 0, sequencer=1),
        at(Invoke, writer=8, digest=12),
        at(Store, 2, 1, node=1, digest=12, becomes=0, recovery=0),
        at(Ack, 2, 1, writer=8, digest=12, copyset=frozenset({1}), required=1),
        at(Read, 1, 1, reader=3),
        at(Gap, 1, 1, reader=3, reason=SKIPPED, upto_epoch=2, upto_esn=0),
        at(Deliver, 2, 1, reader=3, digest=12),
        at(Erase, 1, 1, node=0),
    ]


def write(path: Path, events: list[Event], said: Header | None = None) -> Path:
    """Write a trace, in the form that its name asks for; the events stand as they are given."""
    form = parquet_writing if is_parquet_name(path) else jsonl
    form.write_events(path, said or header(), [{"recorder": "all", **event} for event in events])
    return path


def write_sorted(path: Path, events: list[Event], said: Header | None = None) -> Path:
    """Write a trace in order."""
    sort(write(path.with_name("unsorted.jsonl"), events, said), path)
    return path
