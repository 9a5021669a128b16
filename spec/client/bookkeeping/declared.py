"""What the books of a log read, fill in and add."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from spec.client.bookkeeping.books import TOLD, Books, kept
from spec.client.bookkeeping.recording import Recording
from spec.events import Ack, DeleteSent, Deliver, Erase, Mutate, Passed, Scattered, ScatteredReader, Store
from spec.language.bookkeeping import Bookkeeping, Event, Heading, Watched
from spec.log.own_order import STEPS, TURNS

FILLED: Final = ("invoker", "version", "invoked_at_ns", "after", "perhaps_after", "arg_b", "since", "held")
READ: Final = (
    *("kind", "seq", "time_ns", "log", "epoch", "esn", "upto_epoch", "upto_esn", "actor", "node", "digest", "arg"),
    *FILLED,
)
TOGETHER: Final = (Ack, Deliver, DeleteSent, Erase, Mutate, Store)


def recording_of(heading: Heading) -> Recording:
    """What bookkeeping must know of a trace."""
    words = ("deliver", "gap", "read")
    followed = (
        name
        for name, recorder in heading.recorders.items()
        if "deliver" in recorder.records and all(recorder.records.get(word, "complete") == "complete" for word in words)
    )
    return Recording(
        recorders={name: place for place, name in enumerate(heading.recorders)},
        followed=frozenset(followed),
        appends=heading.completeness("invoke") == "complete",
        trims=heading.completeness("trim") == "complete",
        real_time=bool(heading.promises.get("real_time_order", False)),
        esn_bits=heading.low_bits,
        clock_bound_ns=heading.clock_bound_ns,
    )


def _kept(events: Iterable[Mapping[str, Any]], heading: Heading) -> list[Event]:
    return kept(events, recording_of(heading))


BOOKKEEPING: Final = Bookkeeping(
    noted=frozenset(kind for kind in TOLD if kind is not None),
    together=frozenset(event.kind for event in TOGETHER if event.kind is not None),
    watched=(Watched(STEPS, ("node",)), Watched(TURNS, ("log", "actor"))),
    reads=READ,
    sets={"nodes": frozenset({DeleteSent.kind or 0})},
    fills=FILLED,
    fills_sets=("nodes_b", "nodes_c"),
    adds=(Passed.word, Scattered.word, ScatteredReader.word),
    opened=lambda heading: Books(recording_of(heading)),
    kept=_kept,
)
