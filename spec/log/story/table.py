"""The table of sentences: how each event of a log is told, in the order of telling where no clock tells."""

from __future__ import annotations

from typing import Final

from spec.events import (
    GAP_KINDS,
    SKIPPED,
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
from spec.events.universes import READERS, WRITERS
from spec.language.story import Saying, Telling
from spec.log.story.phrases import lsn

_GAPS: Final = {
    "hole": "there is a hole",
    "bridge": "the epoch ends",
    "dataloss": "records are lost",
    "trim": "records were trimmed",
    "access": "it may not read",
    "not_in_config": "the log is gone",
    "filtered_out": "what it asked not to be given was left out",
}


def gap(said: Saying) -> str:
    """What a reader was told, and of which LSNs; that it was told nothing, where it only went on."""
    word = next((word for word, number in GAP_KINDS.items() if number == said.get("reason")), "")
    if not word or said.get("reason") == SKIPPED:
        return "{reader} passed over {stretch} without a word."
    event = said.event
    is_at = word == "bridge" or (event["epoch"], event["esn"]) == (event["upto_epoch"], event["upto_esn"])
    where = f"at {lsn(event)}" if is_at else "from {stretch}"
    return f"{{reader}} was told[ by {{server}}] that {_GAPS[word]} {where}[, after answers of {{responders}}]."


WRITING: Final = (
    Telling(
        NewEpoch,
        "Epoch {epoch} began[, with {sequencer} as its sequencer][, on nodes {nodeset}].",
        across="epoch {epoch}",
        scene="always",
    ),
    Telling(
        StatusTable,
        "Version {version} of the statuses: down {unavailable}; data lost {underreplicated}; empty {empty}.",
    ),
    Telling(Scattered, "Several recorders saw what {node} did, and nobody knows in which order."),
    Telling(
        ScatteredReader, "Several recorders saw what {reader} asked and was told, and nobody knows in which order."
    ),
    Telling(Invoke, "{writer} asked to append {payload}.", lane=WRITERS),
    Telling(Append, "[Sequencer {sequencer}|The sequencer] gave {lsn} to {payload}."),
    Telling(Streamed, "The append at {lsn} was number {place} in the stream of {writer}."),
    Telling(
        Chosen, "The append at {lsn} was to go to {copyset} first, as all of the block that began at {block_start}."
    ),
    Telling(
        Store,
        "{node} stored {outcome} at {lsn}[ at the word of recovery {recovery}].",
        mark="[{plug}|store]",
        together="{node} stored {outcome} at {lsn}[ at the word of recovery {recovery}].",
        alike=("becomes", "recovery"),
    ),
    Telling(DeleteSent, "The sequencer told {told} to delete {lsn}, which {kept} had."),
    Telling(AppenderDone, "{lsn} could be released, since {leaders} had it."),
    Telling(
        Ack,
        "{writer} was told[ by {server}] that {payload} is safe at {lsn}[, with the promise of {copies}]"
        "[, held by {copyset}].",
        lane=WRITERS,
    ),
    Telling(Refused, "{writer} was told[ by {server}] that {payload} was not appended.", lane=WRITERS),
    Telling(Indefinite, "{writer} gave up waiting for {payload}.", lane=WRITERS),
    Telling(
        Fault,
        "{node} {fault_verb}.",
        mark="{fault_mark}",
        together="{node} {fault_verb_several}.",
        alike=("what",),
        scene="member",
        opens=True,
    ),
    Telling(Draining, "The sequencer of epoch {epoch} let the appends up to {lsn} end, and took no more."),
    Telling(SoftSealed, "{node} stored of epoch {next_epoch}, and took no more appends of earlier ones."),
    Telling(
        Seal,
        "{node} promised to take nothing more of epoch {epoch} and before.",
        together="{node} promised to take nothing more of epoch {epoch} and before.",
        scene="meanwhile",
    ),
    Telling(Digest, "{node} told [recovery {recovery}|a recovery] that it holds {payload} at {lsn}."),
    Telling(
        Planned,
        "[Recovery {recovery}|A recovery] decided what becomes of epoch {epoch}, having heard {heard}.",
    ),
    Telling(MutationStored, "{node} stored what [recovery {recovery}|a recovery] decided for epoch {epoch}."),
    Telling(Mutate, "[Recovery {recovery}|A recovery] decided that {lsn} is {outcome}.", mark="[{plug}|mutate]"),
    Telling(CleanLearned, "{node} learnt what became of epoch {epoch}."),
    Telling(Clean, "Recovery finished epoch {epoch}, which ends at {lsn}."),
    Telling(
        Described,
        "The metadata log said where epoch {epoch} lies, as all from epoch {since} on: on {nodeset}.",
    ),
    Telling(Release, "Everything up to {lsn} was released to readers."),
    Telling(Purged, "{node} purged epoch {epoch}, [by what recovery {recovery} decided|of which it knew nothing]."),
    Telling(PurgeSurvivor, "{node} kept {outcome} at {lsn}."),
)
"""Writing an epoch, sealing and repairing it, and what may be read of it."""

READING: Final = (
    Telling(Read, "{reader} began to read at {lsn}.", lane=READERS, at="window"),
    Telling(Learnt, "{reader} took epoch {epoch} to lie on {nodeset}."),
    Telling(Greylisted, "{reader} found {node} slow: others are to send what {listed} would."),
    Telling(Reinstated, "{reader} no longer took {node} for slow, {reinstated_because}."),
    Telling(Ask, "{reader} asked {node} to send from {lsn} on, by filters of version {filters}.", at="window"),
    Telling(Allow, "{reader} allowed {node} to send further.", at="window"),
    Telling(Ship, "{node} sent {reader} {outcome} at {lsn}."),
    Telling(Trim, "The log's owner asked to trim everything up to {lsn}."),
    Telling(Trimmed, "{node} trimmed everything up to {lsn}."),
    Telling(Gap, gap, lane=READERS, at="span"),
    Telling(Passed, "{reader} passed over {stretch}{without_reason}.", lane=READERS, at="span"),
    Telling(Deliver, "{reader} was given {payload} at {lsn}[, served by {server}].", lane=READERS),
    Telling(AtEnd, "{reader} was told[ by {server}] that nothing is there from {lsn} on.", lane=READERS),
)
"""What readers ask, are sent, are given and told."""

REBUILDING: Final = (
    Telling(Rebuilding, "The event log says that {node} {event_log_says}."),
    Telling(Donated, "A donor is done with what {node} had of one log."),
    Telling(Rebuilt, "{node} was given a copy of {outcome} at {lsn} by a donor."),
    Telling(CopysetChanged, "{node} was told that {lsn} lies on {copyset}."),
    Telling(Emptied, "{node} is empty: everything up to {lsn} lies on others."),
    Telling(Erase, "{node} erased its copy of {lsn}.", together="{node} erased their copies of {lsn}."),
)
"""How copies are made again, and which are gone in the end."""
