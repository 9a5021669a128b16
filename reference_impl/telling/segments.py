"""Telling runs of the text ``leaseholder`` as traces of segment layers: who locks, writes, stores and closes.

Each node records what it does, and each caller what its writer is given and told. A sample lies at each instant, a
period apart. What is given in for a channel that is never created is not told: no key names it.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from reference_impl.kernel.explorer.result import Trace
from spec.language.protocol.running import PackedWorld
from spec.protocols.leaseholder import Segment
from spec.segment.channel_numbers import key_of
from spec.segment.events import (
    Cancelled,
    Closed,
    Created,
    ErrorTold,
    Learnt,
    LockReleased,
    LockTaken,
    Rejected,
    Requested,
    RequestsClosed,
    Stored,
    Written,
)
from spec.segment.events.values import FREE, MAX_AUTHORITY

STEP_NS: Final = 10
PERIOD_NS: Final = 10
DENSITY: Final = 8

BY_NODES: Final = (Created, Learnt, Requested, LockTaken, LockReleased, Stored, Rejected)
BY_CALLERS: Final = (Written, RequestsClosed, Closed, Cancelled, ErrorTold)
"""The events that nodes record, and those of callers."""


class SegmentTeller:
    """Tells one run.

    Args:
        machine: the text in its world.
        run: the steps, and the states between them.
    """

    def __init__(self, machine: PackedWorld, run: Trace) -> None:
        self.segments = [sorted(instants) for instants in machine.world.families[Segment]]
        self.run = run
        created = [step.args for step in run.steps if step.action.name == "create"]
        self.leader: dict[int, int] = {channel: node for node, channel in created}
        self.key = {channel: key_of(node, number) for number, (node, channel) in enumerate(created, 1)}
        self.rows: list[dict[str, Any]] = []
        self._seen = Counter[str]()
        self._requests: dict[tuple[int, int, int], int] = {}
        self._last = Counter[int]()
        self._turns = Counter[int]()
        self._holder: dict[int, int] = {}

    def tell(self) -> list[dict[str, Any]]:
        """The events of the run, by columns."""
        for step in self.run.steps:
            getattr(self, f"_{step.action.name}")(*step.args)
        return self.rows

    def _create(self, node: int, channel: int) -> None:
        self._note(Created, node, **self._described(channel))
        self._note(Learnt, node, node=node, **self._described(channel))

    def _gossip(self, _source: int, node: int, channel: int) -> None:
        self._note(Learnt, node, node=node, **self._described(channel))

    def _acquire(self, writer: int, _gateway: int, channel: int) -> None:
        self._note(Requested, self.leader[channel], **self._place(writer, 0, channel), leaseholder=self.leader[channel])
        self._holder[channel] = writer
        self._locked(LockTaken, writer, channel, authority=MAX_AUTHORITY)

    def _send(self, writer: int, channel: int, segment: int) -> None:
        if channel in self.leader:
            self._last[writer] += 1
            self._requests[writer, channel, segment] = self._last[writer]
            self._say(Written, writer, **self._piece(writer, channel, segment))

    def _store(self, node: int, writer: int, channel: int, segment: int) -> None:
        piece = self._piece(writer, channel, segment)
        self._note(Stored, node, node=node, density=DENSITY, turn=self._turns[channel], **piece)

    def _refuse(self, writer: int, channel: int, segment: int) -> None:
        if channel in self.leader:
            request, node = self._requests[writer, channel, segment], self.leader[channel]
            place = self._place(writer, request, channel)
            self._note(Rejected, node, node=node, start_ns=self._start(segment), **place)
            self._say(ErrorTold, writer, session=writer, request=request)

    def _ask_to_close(self, writer: int) -> None:
        self._say(RequestsClosed, writer, session=writer, request=self._last[writer] + 1)

    def _close(self, writer: int) -> None:
        self._give_up(writer)
        self._say(Closed, writer, session=writer, request=self._last[writer] + 1, failed=0)

    def _cancel(self, writer: int) -> None:
        self._give_up(writer)
        self._say(Cancelled, writer, session=writer, request=self._last[writer])

    def _give_up(self, writer: int) -> None:
        for channel in [channel for channel, holder in self._holder.items() if holder == writer]:
            self._holder[channel] = FREE
            self._locked(LockReleased, writer, channel)

    def _locked(self, event: type[Any], writer: int, channel: int, **more: int) -> None:
        self._turns[channel] += 1
        holder = self._holder[channel]
        said = {"turn": self._turns[channel], "holder": holder, "held_with": FREE if holder == FREE else MAX_AUTHORITY}
        self._note(event, self.leader[channel], **said, **more, **self._place(writer, 0, channel))

    def _place(self, writer: int, request: int, channel: int) -> dict[str, int]:
        return {"session": writer, "request": request, "channel": self.key[channel]}

    def _described(self, channel: int) -> dict[str, int]:
        node = self.leader[channel]
        what = {"leaseholder": node, "period_ns": PERIOD_NS, "density": DENSITY}
        return {"channel": self.key[channel]} | what

    def _piece(self, writer: int, channel: int, segment: int) -> dict[str, int]:
        request, instants = self._requests[writer, channel, segment], self.segments[segment]
        times = {"start_ns": self._start(segment), "last_ns": PERIOD_NS * instants[-1]}
        place = self._place(writer, request, channel)
        return {**place, **times, "samples": len(instants), "digest": writer << 16 | request}

    def _start(self, segment: int) -> int:
        return PERIOD_NS * self.segments[segment][0]

    def _note(self, event: type[Any], by: int, /, **said: int) -> None:
        self._add(event, f"node{by}", said)

    def _say(self, event: type[Any], writer: int, /, **said: int) -> None:
        self._add(event, f"caller{writer}", said)

    def _add(self, event: type[Any], recorder: str, said: dict[str, int]) -> None:
        self._seen[recorder] += 1
        time = STEP_NS * (len(self.rows) + 1)
        place = {"kind": event.kind, "recorder": recorder, "seq": self._seen[recorder], "time_ns": time}
        self.rows.append(place | said)
