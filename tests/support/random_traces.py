"""Random traces over the whole vocabulary, for tests that readings agree.

Values are small so that they meet: a rule that compares digests must see equal and different ones. Everything is drawn
from the generator that is passed in, so a seed is a trace.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final

import numpy as np

from spec.columns.column import Column, Raw
from spec.events import Event
from spec.language.events import ColumnLayout, all_events, fields_of, layout
from spec.language.parameters import Parameters, mask, pack_factors
from tests.support.consistent import consistent

ESN_BITS: Final = 8
LAYOUT: Final = layout(Event)
KINDS: Final[dict[str, int]] = {event.word: event.kind for event in all_events(Event) if event.kind is not None}
MEANINGS: Final[dict[int, dict[str, tuple[int, int]]]] = {
    event.kind: {field.column: field.among for field in fields_of(event).values() if field.among}
    for event in all_events(Event)
    if event.kind is not None
}
"""The columns in which each number means something, with the least and the greatest."""
LEAST: Final[dict[int, dict[str, int]]] = {
    event.kind: {field.column: field.least for field in fields_of(event).values() if field.least is not None}
    for event in all_events(Event)
    if event.kind is not None
}
"""The columns that hold no lesser number."""
MIXES: Final[tuple[tuple[str, ...], ...]] = (
    tuple(KINDS),
    ("epoch", "status", "store", "store", "ack", "release", "deliver", "deliver", "gap"),
    ("store", "ack", "deliver", "deliver"),
    ("invoke", "ack", "read", "deliver", "passed", "at_end"),
    ("append", "store", "store", "seal", "digest", "mutate", "clean", "gap", "status", "erase"),
    ("epoch", "status", "seal", "digest", "plan", "obey", "obey", "settle", "store"),
    ("epoch", "append", "store", "store", "store", "seal", "soft_seal", "draining"),
    ("epoch", "append", "chosen", "chosen", "store"),
    ("epoch", "append", "store", "store", "ack", "dismissed", "retired", "release", "mutate", "erase"),
    ("mutate", "clean", "purge", "kept", "kept"),
    ("epoch", "epoch", "described", "described", "release", "learnt"),
    ("streamed", "streamed", "ack", "mutate", "deliver", "gap"),
    ("release", "store", "ask", "ask", "allow", "ship", "ship", "ship"),
    ("epoch", "ask", "ask", "greylisted", "greylisted", "greylisted", "reinstated", "gap"),
    ("clean", "store", "ship", "ship", "trim", "trimmed", "trimmed", "read", "gap"),
    ("epoch", "status", "status", "store", "rebuilding", "donated", "rebuilt", "copyset", "emptied", "erase"),
)
"""Which kinds a trace has: a trace of few kinds has denser rows."""
NULL_SHARES: Final = (0.0, 0.02, 0.1, 0.3)


def parameters_for(nodes: int) -> Parameters:
    """A topology of this many shards in three racks and two regions; no trace names a data centre."""
    everyone = range(nodes)
    domains = {
        "node": tuple(frozenset(everyone[first : first + 2]) for first in range(0, nodes, 2)),
        "rack": tuple(frozenset(everyone[rack::3]) for rack in range(3)),
        "region": (frozenset(everyone[: nodes // 2]), frozenset(everyone[nodes // 2 :])),
    }
    return Parameters(size=nodes, domains=domains, low_bits=ESN_BITS, clock_bound_ns=2)


def random_events(rng: Random, n: int, *, nodes: int, logs: int, nulls: bool = True) -> list[dict[str, Any]]:
    """Events of a random trace, sorted by (log, LSN, seq); columns that a kind does not fill hold nothing."""
    mix, longest = rng.choice(MIXES), rng.choice((2, 6, 12))
    unknown = rng.choice(NULL_SHARES) if nulls else 0.0
    order = rng.sample(range(n), n)
    events = [_event(rng, KINDS[rng.choice(mix)], nodes, logs, longest) | {"seq": seq} for seq in order]
    for event in events:
        for column in LAYOUT.values():
            if event["kind"] in column.optional and rng.random() < unknown:
                event[column.name] = None
    events = [consistent(event, ESN_BITS) for event in events]
    return sorted(events, key=lambda event: (event["log"], event["epoch"], event["esn"], event["seq"]))


def _event(rng: Random, kind: int, nodes: int, logs: int, longest: int) -> dict[str, Any]:
    here = {column.name for column in LAYOUT.values() if kind in column.kinds}
    event: dict[str, Any] = {"kind": kind, "recorder": "random"}
    for column in LAYOUT.values():
        if not column.computed:
            event[column.name] = _value(rng, column, nodes, logs, longest) if column.name in here else _nothing(column)
    for name, (least, greatest) in MEANINGS[kind].items():
        event[name] = rng.randint(least, greatest)
    for name, least in LEAST[kind].items():
        event[name] = max(event[name], least)
    if "upto_epoch" in here:
        event["upto_epoch"] = event["epoch"] + rng.choice((0, 0, 0, 1))
        event["upto_esn"] = event["esn"] + rng.choice((0, 0, 1, 3))
    return event


def _nothing(column: ColumnLayout) -> Any:
    return {"set": frozenset(), "factors": {}}.get(column.sort, 0)


def _value(rng: Random, column: ColumnLayout, nodes: int, logs: int, longest: int) -> Any:
    match column.sort, column.name:
        case "set", _:
            size = rng.choice((0, 1, 2, 3, nodes // 2, nodes))
            return frozenset(rng.sample(range(nodes), min(size, nodes)))
        case "factors", _:
            return {scope: rng.randint(1, 3) for scope in rng.sample(("shard", "rack", "region"), rng.randint(0, 2))}
        case _, "log":
            return rng.randrange(logs)
        case _, "epoch":
            return rng.randint(1, 3)
        case _, "esn":
            return rng.randint(0, longest)
        case _, "node":
            return rng.choice((rng.randrange(nodes), 0, nodes - 1))
        case _, "time_ns":
            return rng.randint(0, 9)
        case _, "digest" | "invoker":
            return rng.randint(-1, 2)
        case _:
            return rng.randint(0, 3)


def raw_of(events: Sequence[Mapping[str, Any]], parameters: Parameters) -> Raw:
    """The same events as columns that nobody may write to; what stands in a row that is not known misleads."""
    raw = {"kind": Column(np.array([event["kind"] for event in events], np.int8))}
    for column in LAYOUT.values():
        if not column.computed:
            raw[column.name] = _column(column, [event[column.name] for event in events], parameters)
    for values, known, *_ in raw.values():
        values.setflags(write=False)
        if known is not None:
            known.setflags(write=False)
    return raw


def _column(column: ColumnLayout, said: Sequence[Any], parameters: Parameters) -> Column:
    known = np.array([value is not None for value in said], np.bool_)
    return Column(_packed(column, said, parameters), None if known.all() else known)


def _packed(column: ColumnLayout, said: Sequence[Any], parameters: Parameters) -> Any:
    words = parameters.words
    match column.sort:
        case "set":
            rows = [(-2,) * words if value is None else mask(value, words) for value in said]
            packed = np.array(rows, np.int64).reshape(len(said), words).T
            return packed[0].copy() if words == 1 else packed.copy()
        case "factors":
            return np.array([0x0101 if value is None else pack_factors(value) for value in said], np.int64)
        case _:
            numbers = [1 if value is None else value for value in said]
            return np.array(numbers, f"int{column.bits}")


def replay(seed: int, events: int, nodes: int, logs: int) -> str:
    """One line that draws the same trace again."""
    return f"random_events(Random({seed}), {events}, nodes={nodes}, logs={logs})"
