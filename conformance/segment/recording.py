"""A run of a cluster as a trace of the family of segment layers, which its rules judge.

One recorder sees everything, by one clock. A sample is 8 bytes, and a channel has a sample each nanosecond, where it
has any: so samples lie together where their times follow one another, and each such piece is told by itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from zlib import crc32

from conformance.segment.clusters import Cluster
from conformance.segment.comparing import channels_of
from conformance.segment.configurations import GATEWAY, SOUND, Configuration, Defects
from conformance.segment.histories import history
from conformance.segment.operations import Ask, Iterate, Read, Script
from conformance.segment.scans import Scans
from conformance.trace.header import Header, Member, Recorder, System
from conformance.trace.jsonl import write_events
from conformance.trace.rows import Rows
from reference_impl.segment.gateway.machine import Action, Call, Execute, Receive, Send, Take
from reference_impl.segment.gateway.messages import Acknowledgement, Data
from reference_impl.segment.gateway.state import Session
from reference_impl.segment.storage import Store, times_of
from spec.segment.channel_numbers import LOCAL_BITS, key_of
from spec.segment.events import values
from spec.segment.events.universes import NODES
from spec.segment.family import SEGMENT
from spec.segment.iterator.choices import BY_SAMPLE, Choices, Merge
from spec.segment.iterator.commands import (
    Close,
    Command,
    Error,
    Next,
    Prev,
    SeekFirst,
    SeekGE,
    SeekLast,
    SeekLE,
)
from spec.segment.iterator.times import TimeRange

DENSITY: Final = 8
NODE_COUNT: Final = 4
STEP_NS: Final = 10
WRITERS: Final = 1000
"""From which number on sessions are writers."""

SPAN_OPS: Final = {Next: values.NEXT_SPAN, Prev: values.PREV_SPAN}
OPS: Final = {
    SeekFirst: values.SEEK_FIRST,
    SeekLast: values.SEEK_LAST,
    SeekGE: values.SEEK_GE,
    SeekLE: values.SEEK_LT,
    Next: values.NEXT,
    Prev: values.PREV,
    Error: values.ERROR,
    Close: values.CLOSE,
}
KINDS: Final = (
    *("channel_created", "channel_requested", "opened", "acknowledged", "called", "executed", "returned", "window"),
    *("sent", "given", "gap", "written", "stored", "closed"),
)
"""What is recorded, all of it."""

IN_NS: Final = ("start", "last", "upto", "period")


class Recording:
    """Notes all that happens to a cluster, as events."""

    def __init__(self, leaders: Mapping[str, int]) -> None:
        self.events: list[dict[str, Any]] = []
        self._keys = {
            channel: key_of(node, number) for number, (channel, node) in enumerate(sorted(leaders.items()), 1)
        }
        self._pieces: dict[str, set[int]] = defaultdict(set)
        self._writers = WRITERS
        self._requests: dict[int, int] = defaultdict(int)
        self._of_number: dict[tuple[int, int], int] = {}
        self._scans: dict[tuple[int, str], Scans] = defaultdict(Scans)
        for channel, node in leaders.items():
            self._note("channel_created", channel=self._keys[channel], leaseholder=node, period=1, density=DENSITY)

    def stored(self, node: int, channel: str, before: Store, after: Store) -> None:
        """Each piece that is new is written and stored, by a writer of its own."""
        known = set(times_of(before))
        self._writers += 1
        key = self._keys[channel]
        self._note("channel_requested", session=self._writers, request=0, channel=key, leaseholder=node)
        new = (tuple(time for time in segment.times if time not in known) for segment in after)
        for request, piece in enumerate((piece for times in new for piece in self._cut(channel, times)), start=1):
            self._pieces[channel].add(piece[0])
            told = {"session": self._writers, "request": request, "channel": key, **_told(piece)}
            self._note("written", **told)
            self._note("stored", node=node, density=DENSITY, **told)

    def opened(self, iterator: int, leaders: Mapping[str, int], bounds: TimeRange) -> None:
        """Every node has acknowledged that its part is open."""
        place = {"session": iterator, "request": 0}
        for channel, node in leaders.items():
            self._note("channel_requested", channel=self._keys[channel], leaseholder=node, **place)
        nodes = sorted(set(leaders.values()))
        for node in nodes:
            self._note("acknowledged", node=node, about=0, ok=1, **place)
        self._note("opened", gateway=GATEWAY, parts_on=nodes, start=bounds.start, upto=bounds.end, **place)

    def happened(self, iterator: int, action: Action, before: Session, after: Session) -> None:
        """What a step of the gateway or of a node shows."""
        match action:
            case Call(command):
                self._called(iterator, command, before, after)
            case Execute(node):
                self._executed(iterator, node, before, after)
            case Send(node) if isinstance(reply := before.peers[node].sending[0], Data):
                self._carried("sent", iterator, node, reply)
            case Receive(node) if isinstance(reply := before.peers[node].wire[0], Acknowledgement):
                if after.heard != before.heard or after.acks is None:
                    place = {"session": iterator, "request": self._of_number[iterator, before.number]}
                    about = self._of_number[iterator, reply.number]
                    self._note("acknowledged", node=node, about=about, ok=int(reply.ok), **place)
            case Take():
                data = before.output[0]
                node = next(node for node, peer in before.peers.items() if data.channel in peer.readings.of)
                self._carried("given", iterator, node, data)
            case _:
                pass
        if before.acks is not None and after.acks is None:
            self._returned(iterator, self._of_number[iterator, after.number], after)

    def ended(self) -> None:
        """The gaps of all scans are known now."""
        for (iterator, channel), scans in self._scans.items():
            for scan in scans.all:
                for gap in scan.gaps():
                    place = {"session": iterator, "request": scan.request, "channel": self._keys[channel]}
                    self._note("gap", start=gap.start, upto=gap.end, scan=scan.number, **place)

    def _called(self, iterator: int, command: Command, before: Session, after: Session) -> None:
        if after.number == before.number and isinstance(command, Close):
            return  # closing again asks nobody
        self._requests[iterator] += 1
        request = self._requests[iterator]
        is_span = isinstance(command, Next | Prev) and command.span is not None
        op = (SPAN_OPS if is_span else OPS)[type(command)]
        self._note("called", session=iterator, request=request, op=op)
        if after.number > before.number:
            self._of_number[iterator, after.number] = request
        else:
            self._returned(iterator, request, after)

    def _executed(self, iterator: int, node: int, before: Session, after: Session) -> None:
        asked = before.peers[node].requests[0]
        request = self._of_number[iterator, asked.number]
        self._note("executed", session=iterator, request=request, node=node)
        for channel, reading in after.peers[node].readings.of.items():
            scans = self._scans[iterator, channel]
            if not isinstance(asked.command, Next | Prev):
                scans.is_over = scans.is_over or not isinstance(asked.command, Error)
            elif reading.is_positioned and reading.error is None:
                onward = isinstance(asked.command, Next)
                scan = scans.moves(request, reading.view, onward=onward)
                op = (SPAN_OPS if asked.command.span is not None else OPS)[type(asked.command)]
                place = {"session": iterator, "request": request, "channel": self._keys[channel]}
                start, upto = reading.view
                self._note("window", start=start, upto=upto, op=op, scan=scan.number, **place)

    def _carried(self, kind: str, iterator: int, node: int, data: Data) -> None:
        request = self._of_number[iterator, data.number]
        place = {"session": iterator, "request": request, "node": node, "channel": self._keys[data.channel]}
        scan = self._scans[iterator, data.channel].of_request[request]
        is_given = kind == "given"
        if is_given:
            scan.given.extend(data.times)
        for piece in self._cut(data.channel, data.times):
            self._note(kind, **place, **_told(piece), **({"scan": scan.number} if is_given else {}))

    def _returned(self, iterator: int, request: int, after: Session) -> None:
        answer = after.answer
        if answer is None:
            return
        failed = int(answer.error is not None)
        self._note("returned", session=iterator, request=request, ok=int(answer.ok), failed=failed)
        if after.is_closing and after.acks is None and request == self._of_number.get((iterator, after.number)):
            self._note("closed", session=iterator, request=request, failed=failed)

    def _cut(self, channel: str, times: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """The pieces of some samples: their times follow one another, and all of one were stored at once."""
        piece: list[int] = []
        for time in times:
            if piece and (time != piece[-1] + 1 or time in self._pieces[channel]):
                yield tuple(piece)
                piece = []
            piece.append(time)
        if piece:
            yield tuple(piece)

    def _note(self, kind: str, **said: Any) -> None:
        number = len(self.events) + 1
        place = {"kind": kind, "recorder": "everything", "seq": number, "time_ns": STEP_NS * number}
        self.events.append(place | {name + "_ns" * (name in IN_NS): value for name, value in said.items()})


def header_of(script: Script, configuration: Configuration, choices: Choices) -> Header:
    """What the recorder of a run promises and records."""
    first = next((number for number, one in enumerate(script) if isinstance(one, Iterate | Read)), len(script))
    is_settled = all(isinstance(one, Iterate | Ask | Read) for one in script[first:])
    promises = {
        "quiet": True,
        "settled": is_settled,
        "answers_all": choices.merge is Merge.ALL,
        "answers_any": choices.merge is Merge.ANY,
        "errors_are_fatal": True,
        "data_before_answers": not configuration.acknowledges_first,
    }
    return Header(
        family=SEGMENT,
        system=System("reference machine"),
        members={NODES.section: tuple(Member(f"n{number}") for number in range(NODE_COUNT))},
        recorders={"everything": Recorder("controller", dict.fromkeys(KINDS, "complete"))},
        clock_bound_ns=0,
        low_bits=LOCAL_BITS,
        promises={name: True for name, is_made in promises.items() if is_made},
    )


def recorded(
    script: Script,
    configuration: Configuration,
    defects: Defects = SOUND,
    choices: Choices = BY_SAMPLE,
    seed: int = 0,
) -> tuple[Header, list[dict[str, Any]]]:
    """A run of a script, as the header and the events of a trace."""
    channels = channels_of(script)
    recording = Recording(configuration.placement(channels))
    history(script, Cluster(channels, configuration, defects, seed, choices, recording))
    recording.ended()
    return header_of(script, configuration, choices), recording.events


def record(path: Path, header: Header, events: Sequence[dict[str, Any]]) -> None:
    """Write a run as a trace in JSON lines."""
    rows = Rows(header)
    write_events(path, header, [rows.from_json(event) for event in events])


def _told(piece: tuple[int, ...]) -> dict[str, int]:
    return {"start": piece[0], "last": piece[-1], "samples": len(piece), "digest": crc32(str(piece).encode())}
