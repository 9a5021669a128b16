"""Phrases: words for parts of a log's events, which sentences name like fields."""

from __future__ import annotations

from typing import Final

from spec.events import BRIDGE, DELTAS, FAULTS, HOLE, NOT_TRIMMED, PERHAPS_TRIMMED, TERM_IS_OVER
from spec.events.universes import PAYLOADS
from spec.language.story import EventRow, Phrase, Saying

LONGEST: Final = 40
"""The longest payload that is told whole."""

_FAULT_VERBS: Final = {
    "crash": "died",
    "restart": "was started again",
    "pause": "stood still",
    "resume": "went on",
    "wipe": "lost its data",
    "partition": "was cut off from the others",
    "heal": "reached the others again",
    "slow": "became slow",
    "steady": "was as fast as before",
    "bad_checksum": "could not read some of its copies",
    "good_checksum": "could read its copies again",
    "read_only": "took no stores any more",
    "writable": "took stores again",
    "drain": "was to give its data to the others",
}
_DELTAS: Final = {
    "restores": "is to be rebuilt from others",
    "relocates": "is to give its data to others",
    "is_lost": "has lost its data for good",
    "acknowledged": "serves again",
    "aborted": "keeps its data",
}
_PASSED: Final = {
    NOT_TRIMMED: ", though nobody had asked to trim that",
    PERHAPS_TRIMMED: ", and nobody knows whether that had been trimmed",
}


def payload(said: Saying) -> str:
    """What an event calls its payload: the text, or else its hash."""
    if said.text is not None:
        return repr(said.text if len(said.text) <= LONGEST else f"{said.text[: LONGEST - 3]}...")
    digest = said.get("digest")
    if digest == 0:
        return "a hole plug or bridge"
    return "a record of unknown payload" if digest is None else said.names.of(PAYLOADS, digest)


def outcome(said: Saying) -> str:
    """What an LSN is said to hold: a payload, a hole plug or a bridge."""
    return {HOLE: "a hole plug", BRIDGE: "a bridge"}.get(said.get("becomes")) or payload(said)


def plug(said: Saying) -> str:
    """What an LSN is said to hold, in a word, if it is no record."""
    return {HOLE: "hole", BRIDGE: "bridge"}.get(said.get("becomes"), "")


def fault_mark(said: Saying) -> str:
    """The mark for what happened to a node."""
    return next((word for word, number in FAULTS.items() if number == said.get("what")), "fault")


def fault_verb(said: Saying) -> str:
    """What a fault did to a node."""
    return _FAULT_VERBS.get(fault_mark(said), "met a fault")


def fault_verb_several(said: Saying) -> str:
    """What a fault did to several nodes."""
    return fault_verb(said).replace("was ", "were ")


def delta(said: Saying) -> str:
    """What the event log says of a node."""
    word = next((word for word, number in DELTAS.items() if number == said.get("delta")), "")
    return _DELTAS.get(word, "has changed")


def copies(said: Saying) -> str:
    """How many copies an acknowledgement promises."""
    count = said.get("required")
    return "" if count is None else "one copy" if count == 1 else f"{count} copies"


def without_reason(said: Saying) -> str:
    """Why it does not count that a reader passed over something."""
    return _PASSED.get(said.get("why"), " without a word")


def reinstated(said: Saying) -> str:
    """Why a reader no longer takes a node for slow."""
    return "for its term was over" if said.get("why") == TERM_IS_OVER else "but for something else"


def next_epoch(said: Saying) -> str:
    """The epoch after that of the event."""
    return str(said.event["epoch"] + 1)


def block(said: Saying) -> str:
    """The LSN at which a block of appends began."""
    return place(said.event["epoch"], said.get("block"))


def place(epoch: int, esn: int) -> str:
    """An LSN by its parts."""
    return f"e{epoch}n{esn}"


def lsn(event: EventRow) -> str:
    """The LSN of an event."""
    return place(event["epoch"], event["esn"])


PHRASES: Final[dict[str, Phrase]] = {
    "payload": payload,
    "outcome": outcome,
    "plug": plug,
    "fault_mark": fault_mark,
    "fault_verb": fault_verb,
    "fault_verb_several": fault_verb_several,
    "event_log_says": delta,
    "copies": copies,
    "without_reason": without_reason,
    "reinstated_because": reinstated,
    "next_epoch": next_epoch,
    "block_start": block,
}
