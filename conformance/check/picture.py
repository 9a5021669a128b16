"""A space-time picture as text: one lane for each client, node and reader, time down the page.

LSNs are letters there, so that a mark in a narrow lane says which record it is about.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from string import ascii_uppercase
from typing import Final, TypeAlias

from conformance.check.sentences import lsn, outcome
from conformance.trace.fields import shapes_of
from conformance.trace.rows import EventRow
from spec.events import BRIDGE, FAULTS, HOLE, Deliver, Gap, NewEpoch, Passed, Ship
from spec.log.family import LOG
from spec.reports.names import Names

WIDTH: Final = 78
LANE: Final = 9
"""The least columns that a lane needs."""
STEPS: Final = 30
"""The most rows of a picture."""
LETTERS: Final = 6
"""The most LSNs that get a letter; marks about others say only what happened."""

Steps: TypeAlias = Sequence[Sequence[EventRow]]

_BY_CLIENT: Final = frozenset({"invoke", "ack", "fail", "indefinite"})
_BY_READER: Final = frozenset({"read", "deliver", "gap", "passed", "at_end"})
_DECIDES: Final = frozenset({"store", "mutate"})
_DOWN: Final = frozenset({"crash", "pause", "wipe"})
_UP: Final = frozenset({"restart", "resume"})


def draw(steps: Steps, names: Names) -> list[str]:
    """The picture's lines: one row for each step of the story; a message instead where it would not fit.

    Args:
        steps: the events of each step.
        names: what the trace calls its nodes and clients.
    """
    lanes = _lanes(steps, names)
    room = WIDTH - 4
    if len(steps) > STEPS or LANE * len(lanes) > room:
        return [f"(no picture: {len(steps)} steps in {len(lanes)} lanes do not fit {WIDTH} columns)"]
    width, letters = min(room // max(1, len(lanes)), 18), Letters(steps)
    lines, down = ["    " + "".join(f"{_title(lane, width - 1):{width}}" for lane in lanes)], set[str]()
    for number, step in enumerate(steps, start=1):
        if step[0]["kind"] == NewEpoch.kind:
            lines.append(f"{number:>3} " + f"--- epoch {step[0]['epoch']} ".ljust(width * (len(lanes) - 1) + 1, "-"))
            continue
        marks = {lane_of(event, names): mark_of(event, letters, width - 2) for event in step}
        cells = (f"*{marks[lane]}" if lane in marks else ":" if lane in down else "|" for lane in lanes)
        lines.append(f"{number:>3} " + "".join(f"{cell[: width - 1]:{width}}" for cell in cells))
        down = {*down, *(lane for lane in marks if marks[lane] in _DOWN)} - {
            lane for lane in marks if marks[lane] in _UP
        }
    return [line.rstrip() for line in [*lines, *letters.legend()]]


class Letters:
    """The letter of each LSN that a story speaks of, and what was seen to be there.

    Args:
        steps: the events of the story.
    """

    def __init__(self, steps: Steps) -> None:
        events = [event for step in steps for event in step]
        single = [event for event in events if _is_of_one_lsn(event)]
        places = sorted({(event["epoch"], event["esn"]) for event in single})
        self.of_place = dict(zip(places, ascii_uppercase, strict=False)) if len(places) <= LETTERS else {}
        self.of_digest: dict[int, str] = {}
        self.said: dict[str, str] = {}
        for event in single:
            letter = self.of_place.get((event["epoch"], event["esn"]))
            if letter is None or event.get("digest") is None:
                continue
            self.of_digest.setdefault(event["digest"], letter)
            self.said.setdefault(letter, f"{outcome(event)} at {lsn(event)}")

    def about(self, event: EventRow) -> str:
        """The letters of what an event is about; empty where it has none."""
        if "esn" not in event:
            digest = event.get("digest")
            return "" if digest is None else self.of_digest.get(digest, "")
        first = (event["epoch"], event["esn"])
        if event["kind"] in (Gap.kind, Passed.kind):
            last = (event["upto_epoch"], event["upto_esn"])
            return "".join(letter for place, letter in self.of_place.items() if first <= place <= last)
        return self.of_place.get(first, "")

    def legend(self) -> Iterator[str]:
        """What each letter stands for."""
        if self.said:
            yield ""
            yield from (f"    {letter}: {said}"[:WIDTH] for letter, said in sorted(self.said.items()))


def _is_of_one_lsn(event: EventRow) -> bool:
    return bool(event.get("esn")) and ("upto_esn" not in event or event["kind"] in (Deliver.kind, Ship.kind))


def lane_of(event: EventRow, names: Names) -> str:
    """Who did or saw what an event tells."""
    word = shapes_of(LOG)[event["kind"]].word
    if word in _BY_CLIENT:
        return names.writer(event["actor"])
    if word in _BY_READER:
        return names.reader(event["actor"])
    return names.node(event["node"]) if event.get("node") is not None else "control"


def mark_of(event: EventRow, letters: Letters, room: int) -> str:
    """What happened, and to which LSN if there is room to say it."""
    word = shapes_of(LOG)[event["kind"]].word
    if word == "fault":
        return next((fault for fault, number in FAULTS.items() if number == event["arg"]), "fault")
    word = {HOLE: "hole", BRIDGE: "bridge"}.get(event.get("arg_b", 0), word) if word in _DECIDES else word
    placed = f"{word} {letters.about(event)}".rstrip()
    return placed if len(placed) <= room else word


def _lanes(steps: Steps, names: Names) -> list[str]:
    """Clients first, then who steers, then nodes, then readers; an epoch begins across all of them."""
    nodes = {lane: place for place, lane in enumerate(names.nodes)}
    found: dict[str, tuple[int, int]] = {}
    for event in (event for step in steps for event in step if event["kind"] != NewEpoch.kind):
        lane = lane_of(event, names)
        place = _place_of(event), nodes.get(lane, len(nodes))
        found[lane] = min(place, found.get(lane, place))
    return sorted(found, key=lambda lane: (*found[lane], lane))


def _place_of(event: EventRow) -> int:
    word = shapes_of(LOG)[event["kind"]].word
    if word in _BY_CLIENT:
        return 0
    if word in _BY_READER:
        return 3
    return 1 if event.get("node") is None else 2


def _title(lane: str, room: int) -> str:
    """A lane's name; of one that is too long its end, which tells it from others."""
    return lane if len(lane) <= room else f"..{lane[len(lane) - room + 2 :]}"
