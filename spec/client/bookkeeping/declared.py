"""What the books of a log read, fill in and add."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from spec.client.bookkeeping.books import TOLD, Books, kept
from spec.client.bookkeeping.fields import BEGUN_BEFORE, HOLDERS, INVOKED, REASON, WHO
from spec.client.bookkeeping.recording import Recording
from spec.events import Ack, DeleteSent, Deliver, Erase, Mutate, Passed, Scattered, ScatteredReader, Store
from spec.language.bookkeeping import AtOnce, Bookkeeping, Event, Heading, Watched
from spec.language.events import column
from spec.log.own_order import STEPS, TURNS

FILLED: Final = ("invoker", INVOKED, "invoked_at_ns", "after", "perhaps_after", BEGUN_BEFORE, "since", column(Ack.held))
READ: Final = (
    *("kind", "seq", "time_ns", "log", "epoch", "esn", "upto_epoch", "upto_esn", WHO, "node", "digest", REASON),
    *FILLED,
)
TOGETHER: Final = (Ack, Deliver, DeleteSent, Erase, Mutate, Store)
_NOTED: Final = frozenset(kind for kind in TOLD if kind is not None)
_TOGETHER: Final = frozenset(event.kind for event in TOGETHER if event.kind is not None)


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


def _said_at_once(raw: Mapping[str, Any], heading: Heading) -> Any:
    from spec.client.columns import said_in_columns  # noqa: PLC0415 - whoever reads rules needs no numpy

    return said_in_columns(raw, recording_of(heading))


BOOKKEEPING: Final = Bookkeeping(
    noted=_NOTED,
    together=_TOGETHER,
    watched=(Watched(STEPS, ("node",)), Watched(TURNS, ("log", WHO))),
    reads=READ,
    sets={column(DeleteSent.told): frozenset({DeleteSent.kind or 0})},
    fills=FILLED,
    fills_sets=(HOLDERS, column(Store.plug_copies)),
    adds=(Passed.word, Scattered.word, ScatteredReader.word),
    opened=lambda heading: Books(recording_of(heading)),
    kept=_kept,
    at_once=AtOnce(_TOGETHER - _NOTED, _said_at_once),
)
