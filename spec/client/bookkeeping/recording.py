"""What bookkeeping must know of a trace: its recorders, how completely they record, and how far clocks differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Final, TypeAlias

from spec.language.bookkeeping import Event

RecorderPosition: TypeAlias = tuple[str, int]
"""A recorder, and a place in its own order."""


@dataclass(frozen=True)
class Recording:
    """How clients' events were recorded.

    Attributes:
        recorders: their names, each with its place in the header.
        followed: the recorders whose reads can be followed: they record every delivery, and every gap if there are any.
        appends: every invocation of an append is recorded.
        trims: every trim is recorded.
        real_time: appends are promised to lie in the order in which they were made, whoever made them.
        esn_bits: how many low bits of an LSN are its ESN.
        clock_bound_ns: the most by which two recorders' clocks may differ.
    """

    recorders: Mapping[str, int]
    followed: frozenset[str]
    appends: bool
    trims: bool
    real_time: bool
    esn_bits: int
    clock_bound_ns: int

    def lsn(self, event: Mapping[str, Any], names: tuple[str, str] = ("epoch", "esn")) -> int:
        """The LSN of an event, or that of its end, as one number."""
        epoch, esn = names
        return int(event[epoch] << self.esn_bits) + int(event[esn])

    def position(self, lsn: int) -> tuple[int, int]:
        """Epoch and ESN of an LSN."""
        return lsn >> self.esn_bits, lsn & (1 << self.esn_bits) - 1

    def surely_before(self, time: int | None, other: int | None) -> bool:
        """The one time is before the other, however two clocks differ within their bound."""
        return time is not None and other is not None and time + self.clock_bound_ns < other


UPTO: Final = ("upto_epoch", "upto_esn")
"""The columns of the end of what an event answers for."""


def by_clock(events: Iterable[Event]) -> list[Event]:
    """Events of several recorders by the clock; without one, recorder by recorder. Each recorder's own order stays."""
    listed, latest = list(events), dict[str, int]()
    if any(event.get("time_ns") is None for event in listed):
        return listed
    times: list[int] = []
    for event in listed:
        latest[event["recorder"]] = max(event["time_ns"], latest.get(event["recorder"], event["time_ns"]))
        times.append(latest[event["recorder"]])
    return [event for _, event in sorted(zip(times, listed, strict=True), key=itemgetter(0))]
