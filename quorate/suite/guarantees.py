"""Guarantees: what the suite asks of a log, each by name, with the rules that judge it and the histories that try it.

Source: the rules on clients, which cite theirs; docs/explanation/what-clients-may-see.md is the definition behind them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from quorate.suite.planning import Focus
from spec.events import TRIM

Events: TypeAlias = "list[dict[str, Any]]"
"""The events of a history, as lines of a trace say them."""


@dataclass(frozen=True, slots=True)
class Guarantee:
    """Something that a log is asked for.

    Attributes:
        name: what its test is called.
        sentence: what it says.
        rules: the ids of the rules that judge it.
        focus: what histories are to have more of.
        needs: what the adapter must be able to do.
        asks: whether a history asks for it at all.
        asked_by: what has to happen for that, in words.
        never_shown: why it can be broken and never be shown to hold, where that is so.
    """

    name: str
    sentence: str
    rules: tuple[str, ...]
    focus: Focus = field(default_factory=Focus)
    needs: tuple[str, ...] = ()
    asks: Callable[[Events], bool] = bool
    asked_by: str = "anything happens"
    never_shown: str = ""


LOST: Final = ("client.read.acked_is_delivered", "client.read.acked_is_asked_for")
SAME: Final = ("client.read.repeatable", "client.read.given_to_all", "client.read.what_was_acked")
PLACES: Final = ("client.append.one_per_lsn", "client.append.one_lsn")
NEW: Final = ("client.append.once", "client.read.nothing_invented", "client.read.after_its_append")
ORDER: Final = ("client.append.in_order", "client.append.client_order")
END: Final = ("client.read.nothing_beyond_the_end",)
REFUSED: Final = ("client.append.refused_is_absent",)
EVERYTHING: Final = (*LOST, *SAME, *PLACES, *NEW, *REFUSED, *ORDER, *END)
"""All rules on clients."""


def _kinds(events: Events) -> set[str]:
    return {event["kind"] for event in events}


def _has_several_writers(events: Events) -> bool:
    return len({event["writer"] for event in events if event["kind"] == "ack"}) > 1


def _has_several_epochs(events: Events) -> bool:
    return len({event["epoch"] for event in events if event["kind"] == "ack"}) > 1


def _tries_again(events: Events) -> bool:
    """A client that does not know what became of an append appends the same again."""
    given_up = set[tuple[int, int]]()
    for event in events:
        match event:
            case {"kind": "indefinite", "writer": writer, "digest": digest}:
                given_up.add((writer, digest))
            case {"kind": "invoke", "writer": writer, "digest": digest} if (writer, digest) in given_up:
                return True
    return False


def _repeats_a_payload(events: Events) -> bool:
    appended = [event["digest"] for event in events if event["kind"] == "ack"]
    return len(set(appended)) < len(appended)


def _begins_in_the_middle(events: Events) -> bool:
    return any(event["kind"] == "read" and event["esn"] for event in events)


def _tells_of(reason: Callable[[int], bool]) -> Callable[[Events], bool]:
    return lambda events: any(event["kind"] == "gap" and reason(event["reason"]) for event in events)


def _after(name: str, undone_by: str, rules: tuple[str, ...] = EVERYTHING) -> Guarantee:
    return Guarantee(
        f"survives_{name}",
        f"Nothing is different after a {name.replace('_', ' ')}, but that some appends are not answered.",
        rules,
        Focus({"fault": 4, "together": 3, "trim": 1}, faults=(name,)),
        needs=(name, undone_by),
        asks=lambda events: "fault" in _kinds(events),
        asked_by=f"a {name} happens",
    )


GUARANTEES: Final = (
    Guarantee("no_loss", "A reader is given what was acknowledged, or has not come so far yet.", LOST),
    Guarantee(
        "no_doubling",
        "An append is stored once.",
        ("client.append.once",),
        Focus({"again": 0}, payloads=(0, 0, 0, 3)),
    ),
    Guarantee(
        "no_invention", "A reader is given only what some client appended.", NEW[1:], Focus({"take": 8}, payloads=(0,))
    ),
    Guarantee("reading_order", "A reader is given records in the order of their LSNs.", ("client.read.in_order",)),
    Guarantee(
        "repeatable_reads",
        "All readers are given the same records, whenever they read.",
        SAME[:2],
        Focus({"seek": 6, "drain": 4}),
    ),
    Guarantee("intact_records", "A reader is given the record that was acknowledged, unchanged.", SAME[2:]),
    Guarantee("one_place", "An append lies at one LSN, and an LSN holds one append.", PLACES),
    Guarantee("append_order", "Later appends get greater LSNs.", ORDER, Focus({"append": 20})),
    Guarantee(
        "several_clients",
        "Appends of several clients at once get places of their own, and none is lost.",
        (*LOST, *PLACES, *ORDER),
        Focus({"together": 12}),
        asks=_has_several_writers,
        asked_by="appends of two clients are acknowledged",
    ),
    Guarantee(
        "retries",
        "An append that is tried again, because nobody knew what became of it, is there once for each try at most.",
        (*LOST, *PLACES, *NEW),
        Focus({"unheard": 8, "again": 8, "hear": 4}, payloads=(0, 1, 2)),
        asks=_tries_again,
        asked_by="a client tries an append again",
    ),
    Guarantee(
        "equal_payloads",
        "Records of equal payload are records of their own.",
        (*LOST, *PLACES, "client.append.once"),
        Focus({"again": 8}, payloads=(1, 1, 2)),
        asks=_repeats_a_payload,
        asked_by="two appends of one payload are acknowledged",
    ),
    Guarantee(
        "reading_from_anywhere",
        "A reader that begins in the middle is given what others are given there.",
        (*LOST, *SAME, "client.read.in_order"),
        Focus({"seek": 10, "take": 8, "trim": 1}),
        asks=_begins_in_the_middle,
        asked_by="a reader begins in the middle",
    ),
    Guarantee(
        "tail_honest",
        "Where a reader is told that the log ends, nothing lies that was acknowledged before it asked.",
        END,
        Focus({"tail": 8, "drain": 6}),
    ),
    Guarantee(
        "gaps_honest",
        "Where a reader is told of a gap, nothing is that anybody knows of.",
        (*LOST, "client.read.given_to_all"),
        asks=_tells_of(lambda reason: reason != TRIM),
        asked_by="a reader is told of a gap other than a trim",
    ),
    Guarantee(
        "trim_honest",
        "What was not asked to be trimmed is still there, and readers are told of what is not.",
        (*LOST, *SAME),
        Focus({"trim": 4, "seek": 6}),
        needs=("trim",),
        asks=lambda events: "trim" in _kinds(events),
        asked_by="somebody asks for a trim",
    ),
    Guarantee(
        "refused_is_absent",
        "What was refused for certain is given to nobody.",
        REFUSED,
        asks=lambda events: "fail" in _kinds(events),
        asked_by="the log refuses an append",
    ),
    Guarantee(
        "copies_agree",
        "What nodes hold at an LSN is what was acknowledged there, the same on all of them.",
        ("log.append.acks_what_is_stored", "log.append.one_record"),
        Focus({"look": 4}),
        needs=("holds",),
        asks=lambda events: "store" in _kinds(events),
        asked_by="somebody looks at a node that holds a record",
        never_shown="a copy that came and went between two looks is not seen",
    ),
    Guarantee(
        "survives_seal",
        "Nothing is different after an epoch has ended, but that some appends are not answered.",
        EVERYTHING,
        Focus({"seal": 4, "sealed": 4, "seek": 6, "trim": 1}, places=("beginning", "end", "border", "border")),
        needs=("seal",),
        asks=_has_several_epochs,
        asked_by="appends of two epochs are acknowledged",
    ),
    _after("crash", "restart"),
    _after("pause", "resume"),
    _after("partition", "heal"),
    Guarantee(
        "survives_clock_jump",
        "Nothing is different after a clock jumped.",
        EVERYTHING,
        Focus({"jump": 4, "trim": 1}),
        needs=("jump_clock",),
    ),
)
"""All guarantees, in the order in which they are asked."""

BY_NAME: Final[Mapping[str, Guarantee]] = {guarantee.name: guarantee for guarantee in GUARANTEES}
