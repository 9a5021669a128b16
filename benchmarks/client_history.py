"""A history of the clients of one log as a trace, made from a hidden log, with anomalies that are known beforehand.

Clients append one record after another and read the log in turns, batch by batch; now and then they are not told what
became of an append, try again with the same payload, or ask whether they are at the end. Each client has a recorder and
a clock of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pyarrow as pa

from benchmarks.client_anomalies import ACK, AT_END, DELIVER, INDEFINITE, INVOKE, READ, SPARED, Told, planted
from conformance.trace.arrow import stored, type_of
from conformance.trace.header import Header, Recorder, System
from spec.columns.column import Array

COMMIT_NS: Final = 1_000
"""From one record that takes its place in the log to the next."""

START_NS: Final = 1_000_000_000

BATCH: Final = 50
"""Records that one client reads before another goes on."""

LOOKS: Final = 100
"""Appends for each question whether the log ends."""

RECORDED: Final = ("invoke", "ack", "fail", "indefinite", "read", "deliver", "gap", "at_end")


@dataclass(frozen=True)
class Plan:
    """What is to happen.

    Attributes:
        operations: appends, and records that are read, in all, about.
        clients: who all append and read.
        unknown: how many of all operations are appends of which their clients do not learn what became.
        each: how many anomalies of each kind are planted.
        promises: what the log promises.
    """

    operations: int
    clients: int = 20
    unknown: float = 0.01
    each: int = 0
    seed: int = 11
    skew_ns: int = 0
    promises: Mapping[str, bool | int] = field(default_factory=lambda: {"real_time_order": True})

    @property
    def period_ns(self) -> int:
        """From one append of a client to its next."""
        return COMMIT_NS * self.clients

    @property
    def clock_bound_ns(self) -> int:
        """The most by which clocks differ."""
        return self.period_ns // 4


@dataclass(frozen=True)
class ClientHistory:
    """A trace in the order of the true time, and how many anomalies are planted to break each rule."""

    told: Told
    header: Header
    table: Any
    operations: int
    planted: Mapping[str, int]


def client_history(plan: Plan) -> ClientHistory:
    """The history of a plan; the same each time."""
    rng = np.random.default_rng(plan.seed)
    told = Told.together([*_appends(plan, rng)])
    told = Told.together([told, *_reads(plan, rng, told), *_looks(plan, rng, told)])
    told, broken = planted(told, plan.each, plan.period_ns)
    operations = int(np.isin(told.kind, (INVOKE, DELIVER)).sum())
    header = _header(plan)
    return ClientHistory(told, header, _table(told, header, plan, rng), operations, broken)


def _appends(plan: Plan, rng: Any) -> list[Told]:
    """Each client's appends, one after another: how they begin, and how they end."""
    number = np.arange(plan.operations // 2)
    commit = START_NS + number * COMMIT_NS
    client = number % plan.clients
    digest = rng.permutation(len(number)) + 1
    is_unknown = rng.random(len(number)) < 2 * plan.unknown
    is_lost = is_unknown & (rng.random(len(number)) < 0.5)
    retried = np.flatnonzero(is_unknown & (rng.random(len(number)) < 0.5))
    retried = retried[retried + plan.clients < len(number)]
    digest[retried + plan.clients] = digest[retried]
    rank = np.cumsum(~is_lost)
    lsn = np.where(is_lost, 0, rank + rank // (SPARED - 1))
    before, after = (rng.integers(1, plan.period_ns * 9 // 20, len(number)) for _ in range(2))
    own = {"recorder": client, "actor": client, "digest": digest, "append": number}
    kind = np.where(is_unknown, INDEFINITE, ACK)
    return [
        Told.of(len(number), kind=INVOKE, time=commit - before, hidden=lsn, **own),
        Told.of(len(number), kind=kind, time=commit + after, lsn=np.where(is_unknown, 0, lsn), hidden=lsn, **own),
    ]


def _reads(plan: Plan, rng: Any, appended: Told) -> list[Told]:
    """Batches of records, which clients read in turn; each goes on from where the last one ended."""
    is_record = (appended.kind == INVOKE) & (appended.hidden > 0)
    lsn, digest = appended.hidden[is_record], appended.digest[is_record]
    batch = np.arange(len(lsn)) // BATCH
    ends = np.minimum((np.arange(batch[-1] + 1) + 1) * BATCH, len(lsn)) - 1
    commit = START_NS + appended.append[is_record][ends] * COMMIT_NS
    begin = commit + rng.integers(1, 2 * plan.period_ns, len(ends))
    reader = np.arange(len(ends)) * 7 % plan.clients
    place = np.arange(len(lsn)) % BATCH
    own = {"recorder": reader[batch], "actor": reader[batch]}
    time = begin[batch] + (place + 1) * plan.period_ns // 100
    first = np.arange(len(ends)) * BATCH
    return [
        Told.of(len(ends), kind=READ, time=begin, recorder=reader, actor=reader, lsn=lsn[first], hidden=lsn[first]),
        Told.of(len(lsn), kind=DELIVER, time=time, lsn=lsn, hidden=lsn, digest=digest, **own),
    ]


def _looks(plan: Plan, rng: Any, appended: Told) -> list[Told]:
    """Questions whether the log ends, which are answered while appends go on."""
    count = plan.operations // 2 // LOOKS
    number = np.arange(count) * LOOKS + LOOKS // 2
    ended = START_NS + number * COMMIT_NS + COMMIT_NS // 2
    is_invoke = appended.kind == INVOKE
    length = np.maximum.accumulate(appended.hidden[is_invoke])[number]
    asker = rng.integers(0, plan.clients, count)
    wait = rng.integers(1, plan.period_ns, (2, count))
    own = {"recorder": asker, "actor": asker, "append": -2 - np.arange(count), "hidden": length}
    return [
        Told.of(count, kind=0, time=ended - wait[0], **own),
        Told.of(count, kind=AT_END, time=ended + wait[1], lsn=length + 1, **own),
    ]


def _header(plan: Plan) -> Header:
    recorders = {f"client{one}": Recorder("client", dict.fromkeys(RECORDED, "complete")) for one in range(plan.clients)}
    return Header(
        system=System("hidden log"),
        recorders=recorders,
        clock_bound_ns=plan.clock_bound_ns,
        named={"logs": {0: "log"}},
        promises=plan.promises,
        note=f"made by a benchmark, seed {plan.seed}",
    )


def _table(told: Told, header: Header, plan: Plan, rng: Any) -> Any:
    """The trace: each recorder numbers what it saw, by its own clock, which is wrong by no more than the bound."""
    skew = rng.integers(-(plan.skew_ns // 2), plan.skew_ns // 2 + 1, plan.clients)
    seq = np.empty(len(told.kind), np.int64)
    own = np.lexsort((told.time, told.recorder))
    starts = np.searchsorted(told.recorder[own], told.recorder[own])
    seq[own] = np.arange(len(own)) - starts + 1
    asked = np.isin(told.kind, (0, INVOKE))
    names, begun = told.append[asked], seq[asked]
    by_name = np.argsort(names)
    found = by_name[np.searchsorted(names, told.append, sorter=by_name).clip(max=len(names) - 1)]
    invoked = np.where(names[found] == told.append, begun[found], 0)
    is_gone = told.kind == READ
    values = {
        "kind": told.kind,
        "seq": seq,
        "time_ns": told.time + skew[told.recorder],
        "esn": told.lsn,
        "upto_esn": np.where(is_gone, told.lsn - 1, np.where(told.kind == DELIVER, told.lsn, 0)),
        "actor": told.actor,
        "digest": told.digest,
        "version": np.where(told.kind == INVOKE, 0, invoked),
    }
    for name, events in (("epoch", (ACK, AT_END, DELIVER, READ)), ("upto_epoch", (DELIVER, READ))):
        values[name] = np.isin(told.kind, events).astype(np.int64)
    rows = np.argsort(told.time, kind="stable")
    return _of_columns(values, told.recorder, header, rows[told.kind[rows] != 0])


def _of_columns(values: Mapping[str, Array], recorder: Array, header: Header, rows: Array) -> Any:
    """A table of all columns; what nobody recorded is unknown, where a kind of event has it."""
    kind, columns = values["kind"][rows], {}
    has = {number: {field.column for field in shape.fields} for number, shape in header.shapes.items()}
    for column in stored(header):
        if column.name == "recorder":
            codes = pa.array(recorder[rows], pa.int32())
            columns[column.name] = pa.DictionaryArray.from_arrays(codes, list(header.recorders))
            continue
        unknown = np.isin(kind, [number for number, names in has.items() if column.column in names])
        if column.name in values:
            zero_is_unknown = column.name == "version"
            value = values[column.name][rows]
            unknown &= zero_is_unknown & (value == 0)
        else:
            value = np.zeros(len(rows), np.int64)
        columns[column.name] = pa.array(value, type_of(column), mask=unknown if column.optional else None)
    return pa.table(columns)
