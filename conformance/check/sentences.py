"""Sentences: how each kind of event is told, in one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from conformance.check.actors import reader, server, writer
from conformance.trace.fields import PAYLOAD, shapes_of
from conformance.trace.rows import EventRow
from spec.events import (
    BRIDGE,
    DELTAS,
    FAULTS,
    GAP_KINDS,
    HOLE,
    NOT_TRIMMED,
    PERHAPS_TRIMMED,
    TERM_IS_OVER,
    Ack,
    Allow,
    Append,
    AppenderDone,
    Ask,
    AtEnd,
    Chosen,
    Clean,
    CleanLearned,
    CopysetChanged,
    DeleteSent,
    Deliver,
    Described,
    Digest,
    Donated,
    Draining,
    Emptied,
    Erase,
    Fault,
    Gap,
    Greylisted,
    Indefinite,
    Invoke,
    Learnt,
    Mutate,
    MutationStored,
    NewEpoch,
    Passed,
    Planned,
    Purged,
    PurgeSurvivor,
    Read,
    Rebuilding,
    Rebuilt,
    Refused,
    Reinstated,
    Release,
    Scattered,
    ScatteredReader,
    Seal,
    Ship,
    SoftSealed,
    StatusTable,
    Store,
    Streamed,
    Trim,
    Trimmed,
)
from spec.language.events import AnyEvent
from spec.log.family import LOG
from spec.reports.names import Names, digest_text

_DECIDES: Final = frozenset(
    kind for kind, shape in shapes_of(LOG).items() if any(one.name == "becomes" for one in shape.fields)
)
"""Kinds of event that say whether an LSN holds a record, a hole plug or a bridge."""

Template: TypeAlias = Callable[[EventRow, Names], str]

_FAULT_WORDS: Final = {
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
_DELTA_WORDS: Final = {
    "restores": "is to be rebuilt from others",
    "relocates": "is to give its data to others",
    "is_lost": "has lost its data for good",
    "acknowledged": "serves again",
    "aborted": "keeps its data",
}
_GAP_WORDS: Final = {
    "hole": "there is a hole",
    "bridge": "the epoch ends",
    "dataloss": "records are lost",
    "trim": "records were trimmed",
    "access": "it may not read",
    "not_in_config": "the log is gone",
    "filtered_out": "what it asked not to be given was left out",
}
_PASSED_WORDS: Final = {
    NOT_TRIMMED: ", though nobody had asked to trim that",
    PERHAPS_TRIMMED: ", and nobody knows whether that had been trimmed",
}


def payload(event: EventRow) -> str:
    """What an event calls its payload: the text, or else its digest."""
    if event.get(PAYLOAD) is not None:
        text = str(event[PAYLOAD])
        return repr(text if len(text) <= 40 else f"{text[:37]}...")  # noqa: PLR2004 - fits a line
    digest = event.get("digest")
    if digest == 0:
        return "a hole plug or bridge"
    return "a record of unknown payload" if digest is None else f"payload {digest_text(digest)}"


def node_set(members: frozenset[int] | None, names: Names) -> str:
    """A set of nodes by name."""
    if members is None:
        return "nodes that were not recorded"
    return ", ".join(names.node(node) for node in sorted(members)) or "no node"


def lsn(event: EventRow) -> str:
    """The LSN of an event."""
    return f"e{event['epoch']}n{event['esn']}"


def _upto(event: EventRow) -> str:
    return f"e{event['upto_epoch']}n{event['upto_esn']}"


def _end(event: EventRow, names: Names) -> str:
    """Where a range ends; the greatest ESN that there is stands for the end of an epoch."""
    whole = event["upto_esn"] == (1 << names.esn_bits) - 1
    return f"the end of epoch {event['upto_epoch']}" if whole else _upto(event)


def _node(event: EventRow, names: Names) -> str:
    return "an unnamed node" if event.get("node") is None else names.node(event["node"])


def outcome(event: EventRow) -> str:
    """What an LSN is said to hold: a payload, a hole plug or a bridge."""
    what = event["arg_b"] if event["kind"] in _DECIDES else None
    if what == HOLE:
        return "a hole plug"
    return "a bridge" if what == BRIDGE else payload(event)


def _epoch(event: EventRow, names: Names) -> str:
    where = "" if event.get("nodes") is None else f", on nodes {node_set(event['nodes'], names)}"
    who = "" if event.get("node") is None else f", with {_node(event, names)} as its sequencer"
    return f"Epoch {event['epoch']} began{who}{where}."


def _store(event: EventRow, names: Names) -> str:
    return stored(_sentence_start(_node(event, names)), event)


def stored(who: str, event: EventRow) -> str:
    """The sentence for a copy that one node stored, or several did alike."""
    by = f" at the word of recovery {event['version']}" if event.get("version") else ""
    return f"{who} stored {outcome(event)} at {lsn(event)}{by}."


def _told(who: Template, event: EventRow, names: Names) -> str:
    """Who was told, and by whom if that is known."""
    by = server(event, names)
    return f"{who(event, names)} was told{by and f' by {by}'}"


def _ack(event: EventRow, names: Names) -> str:
    on = "" if not event.get("nodes") else f", held by {node_set(event['nodes'], names)}"
    copies = "" if event.get("arg") is None else f", with the promise of {_copies(event['arg'])}"
    return f"{_told(writer, event, names)} that {payload(event)} is safe at {lsn(event)}{copies}{on}."


def _copies(count: int) -> str:
    return "one copy" if count == 1 else f"{count} copies"


def _gap(event: EventRow, names: Names) -> str:
    word = next((word for word, number in GAP_KINDS.items() if number == event["arg"]), "")
    if word == "skipped" or not word:
        return _passed(event, names)
    is_at = word == "bridge" or lsn(event) == _upto(event)
    here = f"at {lsn(event)}" if is_at else f"from {_stretch(event, names)}"
    heard = "" if event.get("nodes") is None else f", after answers of {node_set(event['nodes'], names)}"
    return f"{_told(reader, event, names)} that {_GAP_WORDS.get(word, word)} {here}{heard}."


def given(event: EventRow, names: Names, senders: str = "") -> str:
    """The sentence for a delivery; who served it is in the event, or was seen to send it."""
    by = server(event, names) or senders
    return f"{reader(event, names)} was given {payload(event)} at {lsn(event)}{by and f', served by {by}'}."


def _passed(event: EventRow, names: Names) -> str:
    why = _PASSED_WORDS.get(event["arg"], "") if event["kind"] == Passed.kind else ""
    return f"{reader(event, names)} passed over {_stretch(event, names)}{why or ' without a word'}."


def _stretch(event: EventRow, names: Names) -> str:
    return lsn(event) if lsn(event) == _upto(event) else f"{lsn(event)} to {_end(event, names)}"


def _fault(event: EventRow, names: Names) -> str:
    return f"{_sentence_start(_node(event, names))} {befell(event)}."


def befell(event: EventRow) -> str:
    """What a fault did to a node."""
    word = next((word for word, number in FAULTS.items() if number == event["arg"]), "fault")
    return _FAULT_WORDS.get(word, "met a fault")


def _delta(event: EventRow) -> str:
    word = next((word for word, number in DELTAS.items() if number == event["arg"]), "")
    return _DELTA_WORDS.get(word, "has changed")


def _statuses(event: EventRow, names: Names) -> str:
    down, lost, empty = (node_set(event[name], names) for name in ("nodes", "nodes_b", "nodes_c"))
    return f"Version {event['version']} of the statuses: down {down}; data lost {lost}; empty {empty}."


def _mutate(event: EventRow, _: Names) -> str:
    return f"{_recovery(event)} decided that {lsn(event)} is {outcome(event)}."


def _plan(event: EventRow, names: Names) -> str:
    return (
        f"{_recovery(event)} decided what becomes of epoch {event['epoch']}, having heard"
        f" {node_set(event['nodes'], names)}."
    )


def _recovery(event: EventRow) -> str:
    return "A recovery" if event.get("version") is None else f"Recovery {event['version']}"


def _sentence_start(text: str) -> str:
    return text if text[:1].isupper() or any(sign.isdigit() for sign in text) else text[:1].upper() + text[1:]


SENTENCES: Final[Mapping[type[AnyEvent], Template]] = {
    NewEpoch: _epoch,
    StatusTable: _statuses,
    Invoke: lambda event, names: f"{writer(event, names)} asked to append {payload(event)}.",
    Refused: lambda event, names: f"{_told(writer, event, names)} that {payload(event)} was not appended.",
    Indefinite: lambda event, names: f"{writer(event, names)} gave up waiting for {payload(event)}.",
    Append: lambda event, names: f"{_sequencer(event, names)} gave {lsn(event)} to {payload(event)}.",
    Store: _store,
    Ack: _ack,
    Seal: lambda event, names: (
        f"{_sentence_start(_node(event, names))} promised to take nothing more of epoch {event['epoch']} and before."
    ),
    Digest: lambda event, names: (
        f"{_sentence_start(_node(event, names))} told recovery {event.get('version')} that it"
        f" holds {payload(event)} at {lsn(event)}."
    ),
    Mutate: _mutate,
    Clean: lambda event, _: f"Recovery finished epoch {event['epoch']}, which ends at {lsn(event)}.",
    Release: lambda event, _: f"Everything up to {lsn(event)} was released to readers.",
    Erase: lambda event, names: f"{_sentence_start(_node(event, names))} erased its copy of {lsn(event)}.",
    Read: lambda event, names: f"{reader(event, names)} began to read at {lsn(event)}.",
    Deliver: given,
    Gap: _gap,
    Passed: _passed,
    AtEnd: lambda event, names: f"{_told(reader, event, names)} that nothing is there from {lsn(event)} on.",
    Fault: _fault,
    Scattered: lambda event, names: (
        f"Several recorders saw what {_node(event, names)} did, and nobody knows in which order."
    ),
    ScatteredReader: lambda event, names: (
        f"Several recorders saw what {reader(event, names)} asked and was told, and nobody knows in which order."
    ),
    Planned: _plan,
    MutationStored: lambda event, names: (
        f"{_sentence_start(_node(event, names))} stored what {_recovery(event).lower()} decided for epoch"
        f" {event['epoch']}."
    ),
    SoftSealed: lambda event, names: (
        f"{_sentence_start(_node(event, names))} stored of epoch {event['epoch'] + 1}, and took no more appends of"
        " earlier ones."
    ),
    Draining: lambda event, _: (
        f"The sequencer of epoch {event['epoch']} let the appends up to {lsn(event)} end, and took no more."
    ),
    Chosen: lambda event, names: (
        f"The append at {lsn(event)} was to go to {node_set(event['nodes'], names)} first, as all of the block that"
        f" began at e{event['epoch']}n{event['arg']}."
    ),
    Described: lambda event, names: (
        f"The metadata log said where epoch {event['epoch']} lies, as all from epoch {event['arg']} on: on"
        f" {node_set(event['nodes'], names)}."
    ),
    Learnt: lambda event, names: (
        f"{reader(event, names)} took epoch {event['epoch']} to lie on {node_set(event['nodes'], names)}."
    ),
    DeleteSent: lambda event, names: (
        f"The sequencer told {node_set(event['nodes'], names)} to delete {lsn(event)},"
        f" which {node_set(event['nodes_b'], names)} had."
    ),
    AppenderDone: lambda event, names: (
        f"{_sentence_start(lsn(event))} could be released, since {node_set(event['nodes'], names)} had it."
    ),
    Streamed: lambda event, names: (
        f"The append at {lsn(event)} was number {event['arg']} in the stream of {names.writer(event['actor'])}."
    ),
    Purged: lambda event, names: (
        f"{_sentence_start(_node(event, names))} purged epoch {event['epoch']}"
        + (f", by what recovery {event['version']} decided." if event["version"] else ", of which it knew nothing.")
    ),
    PurgeSurvivor: lambda event, names: (
        f"{_sentence_start(_node(event, names))} kept {outcome(event)} at {lsn(event)}."
    ),
    CleanLearned: lambda event, names: (
        f"{_sentence_start(_node(event, names))} learnt what became of epoch {event['epoch']}."
    ),
    Ask: lambda event, names: (
        f"{reader(event, names)} asked {_node(event, names)} to send from {lsn(event)} on, by filters of version"
        f" {event['version']}."
    ),
    Allow: lambda event, names: f"{reader(event, names)} allowed {_node(event, names)} to send further.",
    Greylisted: lambda event, names: (
        f"{reader(event, names)} found {_node(event, names)} slow: others are to send what"
        f" {node_set(event['nodes'], names)} would."
    ),
    Reinstated: lambda event, names: (
        f"{reader(event, names)} no longer took {_node(event, names)} for slow"
        + (", for its term was over." if event["arg_b"] == TERM_IS_OVER else ", but for something else.")
    ),
    Ship: lambda event, names: (
        f"{_sentence_start(_node(event, names))} sent {names.reader(event['actor'])} {outcome(event)} at {lsn(event)}."
    ),
    Trim: lambda event, _: f"The log's owner asked to trim everything up to {lsn(event)}.",
    Trimmed: lambda event, names: f"{_sentence_start(_node(event, names))} trimmed everything up to {lsn(event)}.",
    Rebuilding: lambda event, names: f"The event log says that {_node(event, names)} {_delta(event)}.",
    Donated: lambda event, names: f"A donor is done with what {_node(event, names)} had of one log.",
    Rebuilt: lambda event, names: (
        f"{_sentence_start(_node(event, names))} was given a copy of {outcome(event)} at {lsn(event)} by a donor."
    ),
    CopysetChanged: lambda event, names: (
        f"{_sentence_start(_node(event, names))} was told that {lsn(event)} lies on {node_set(event['nodes'], names)}."
    ),
    Emptied: lambda event, names: (
        f"{_sentence_start(_node(event, names))} is empty: everything up to {lsn(event)} lies on others."
    ),
}
"""For each kind of event, the sentence that tells it."""

_BY_KIND: Final = {event.kind: template for event, template in SENTENCES.items()}


def _sequencer(event: EventRow, names: Names) -> str:
    return "The sequencer" if event.get("node") is None else f"Sequencer {_node(event, names)}"


def tell(event: Mapping[str, Any], names: Names) -> str:
    """The sentence for one event."""
    return _BY_KIND[event["kind"]](event, names)
