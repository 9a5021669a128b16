"""What is noticed later: values that the machine leaves open, so that nothing before the event contradicts another one.

An event with another such value is refused at the first event that contradicts it, or is another behaviour.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, NamedTuple

from spec.events import (
    Ack,
    Allow,
    Append,
    AppenderDone,
    Ask,
    Chosen,
    CleanLearned,
    CopysetChanged,
    DeleteSent,
    Described,
    Donated,
    Draining,
    Emptied,
    Erase,
    Fault,
    Gap,
    Greylisted,
    Invoke,
    Learnt,
    Mutate,
    MutationStored,
    NewEpoch,
    Planned,
    Purged,
    Read,
    Rebuilding,
    Rebuilt,
    Reinstated,
    Release,
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


class OpenChoice(StrEnum):
    """Why a machine may do otherwise; ``FREEDOMS`` says it in words."""

    BEGINNING = "beginning"
    CHOICE = "choice"
    HIDDEN = "hidden"
    CHANCE = "chance"
    DELAY = "delay"
    TWIN = "twin"


BEGINNING, CHOICE, HIDDEN = OpenChoice.BEGINNING, OpenChoice.CHOICE, OpenChoice.HIDDEN
CHANCE, DELAY, TWIN = OpenChoice.CHANCE, OpenChoice.DELAY, OpenChoice.TWIN


OPEN_CHOICES: Final[Mapping[OpenChoice, str]] = {
    BEGINNING: "Nobody of its kind has said anything yet; what is said of it next is refused.",
    CHOICE: "Clients, owners and the machine choose: what is asked for, where copies go, how far one goes at a time.",
    HIDDEN: "Messages that nobody records decide it; an event that leaves it out is a step as well.",
    CHANCE: "It is what happens to nodes, and whether they seem down.",
    DELAY: "What was sent earlier may come late, and what waited long enough may be sent again.",
    TWIN: "Another log, epoch, node or copy may do the same now, and the one that did may still do it after that.",
}
"""What each freedom is."""


class Later(NamedTuple):
    """A field of which another value may be a step, too.

    Attributes:
        freedom: why the machine may do so.
        why: which values, and what refuses them later.
    """

    freedom: OpenChoice
    why: str


LATER: Final[Mapping[type[AnyEvent], Mapping[str, Later]]] = {
    NewEpoch: {
        "log": Later(
            CHOICE, "a log's first epochs may begin at any time; appends in the log that lacks it are refused"
        ),
        "sequencer": Later(CHOICE, "any node may become the sequencer; the first append of another one is refused"),
        "nodeset": Later(CHOICE, "any nodes that can hold copies; copies on other nodes are refused"),
        "replication": Later(CHOICE, "a log's first epoch fixes it; what is stored otherwise is refused"),
    },
    Described: {"holders": Later(HIDDEN, "who holds a record of a metadata log, as long as they can hold a copyset")},
    Learnt: {"log": Later(TWIN, "another log's next epoch may have the same; the reader's own record is refused")},
    StatusTable: {
        "version": Later(BEGINNING, "the first table may have any number"),
        "unavailable": Later(CHANCE, "suspicion may be wrong"),
        "underreplicated": Later(CHANCE, "a node that was wiped before may be lost again"),
        "empty": Later(CHANCE, "a node may be emptied at any time; that it serves again without a restart is refused"),
    },
    Invoke: {
        "log": Later(CHOICE, "a client that waits for nothing may use any log; the answer in the other log is refused"),
        "digest": Later(CHOICE, "a payload may be anything new; its append is refused, since nobody asked for it"),
        "writer": Later(BEGINNING, "a recorder's first event says for whom it speaks; its next one is refused"),
    },
    Append: {
        "epoch": Later(CHOICE, "a sequencer may be as far in an earlier epoch of its own; what is stored is refused"),
        "digest": Later(CHOICE, "another payload that waits for an LSN; the acknowledgement of either is refused"),
    },
    Ack: {"copyset": Later(DELAY, "an earlier wave may be stored whole as well, or other members that are enough")},
    Store: {
        "node": Later(BEGINNING, "a recorder's first event says for whom it speaks; its next one is refused"),
        "esn": Later(
            HIDDEN,
            "of what a recovery writes: a plug may stand below what was told of; the decision is refused",
        ),
        "epoch": Later(
            HIDDEN, "of what a recovery writes: an epoch of which nobody told anything; the decision is refused"
        ),
        "log": Later(HIDDEN, "of what a recovery writes: as for its epoch"),
        "wave": Later(DELAY, "a later wave may be due; the acknowledgement is refused, since no wave is stored whole"),
        "becomes": Later(
            HIDDEN, "of what a recovery writes: a hole may stand where the bridge stands; the decision is refused"
        ),
        "copyset": Later(CHOICE, "a wave's first store says what its copyset is; its next one is refused"),
    },
    Seal: {
        "log": Later(TWIN, "the same epoch of another log may be sealed; the node's digest is refused"),
        "epoch": Later(DELAY, "an earlier epoch may be sealed first; the node's digest is refused"),
    },
    Planned: {
        "log": Later(TWIN, "another recovery of the sequencer may have come as far; what it stores is refused"),
        "epoch": Later(TWIN, "as for its log"),
        "recovery": Later(TWIN, "another recovery may have heard as many; what it stores is refused"),
        "heard": Later(HIDDEN, "who answered is hidden, as long as it suffices; what the recovery stores is refused"),
        "written": Later(HIDDEN, "any of those who were heard, as long as they can hold a copyset"),
        "statuses": Later(HIDDEN, "a recovery may use an older table, as long as its answers suffice by that"),
    },
    MutationStored: {
        "log": Later(TWIN, "a node may obey the same recovery in another log or epoch, without storing anything"),
        "epoch": Later(TWIN, "as for its log"),
        "round": Later(DELAY, "what an earlier round decided may come late"),
    },
    Chosen: {
        "log": Later(TWIN, "an append of another log may be the last one as well; its own record of it is refused"),
        "epoch": Later(TWIN, "as for its log"),
        "copyset": Later(
            CHOICE, "a block may begin on any nodes that can hold copies; what is stored elsewhere is refused"
        ),
        "avoided": Later(HIDDEN, "who failed to store is hidden, as long as it makes no difference"),
    },
    DeleteSent: {
        "log": Later(TWIN, "another log may have an append that as many stored; that it is told so again is refused"),
        "epoch": Later(TWIN, "as for its log"),
        "esn": Later(TWIN, "another append may have as many copies; that it is told so again is refused"),
        "told": Later(HIDDEN, "who else has stored it by then is hidden; what is deleted without a word is refused"),
        "kept": Later(HIDDEN, "who else has stored it by then is hidden, as long as they are enough"),
    },
    AppenderDone: {
        "log": Later(TWIN, "another log may have an append that its leaders have; its own record of that is refused"),
        "epoch": Later(TWIN, "as for its log"),
        "esn": Later(TWIN, "another append may have as many copies; its own record of that is refused"),
        "stored": Later(HIDDEN, "who has stored it by then is hidden, as long as its leaders have"),
    },
    Draining: {
        "log": Later(TWIN, "the sequencer may have as many appends in another log; its next append there is refused"),
        "epoch": Later(TWIN, "as for its log"),
    },
    Streamed: {
        "log": Later(TWIN, "an append of another log may be the last one as well; its own record of it is refused"),
        "epoch": Later(TWIN, "as for its log"),
        "writer": Later(DELAY, "an append on which its client gave up may come late; the client's next one is refused"),
        "place": Later(DELAY, "an epoch may begin with a place that was acknowledged meanwhile; the next is refused"),
    },
    Purged: {
        "node": Later(BEGINNING, "a recorder's first event says for whom it speaks; its next one is refused"),
        "log": Later(TWIN, "a node may purge another log that is as far"),
        "recovery": Later(HIDDEN, "several recoveries may have decided an epoch, in the same way"),
    },
    SoftSealed: {
        "node": Later(BEGINNING, "a recorder's first event says for whom it speaks; its next one is refused"),
        "log": Later(TWIN, "another log may have appends of a later epoch; the store that follows is refused"),
        "epoch": Later(CHOICE, "a later epoch may have appends, too; the store that follows is refused"),
    },
    CleanLearned: {
        "log": Later(TWIN, "a node may learn of any epoch that is decided"),
        "epoch": Later(TWIN, "as for its log"),
        "recovery": Later(HIDDEN, "several recoveries may have decided an epoch, in the same way"),
    },
    Mutate: {
        "epoch": Later(TWIN, "another recovery of the sequencer may have come as far; its next decision is refused"),
        "recovery": Later(TWIN, "another recovery may know the same; its next decision is refused"),
    },
    Release: {
        "log": Later(TWIN, "another log may be released as far"),
        "epoch": Later(CHOICE, "an earlier epoch may be released further"),
        "esn": Later(CHOICE, "less may be released than could be"),
    },
    Read: {
        "log": Later(CHOICE, "a reader may begin in any log; it goes on in a log where it did not begin"),
        "reader": Later(BEGINNING, "a recorder's first event says for whom it speaks; its next one is refused"),
    },
    Allow: {
        "log": Later(TWIN, "the reader may be at the same place of another log; its next request there is refused"),
        "node": Later(TWIN, "any node that sends may be told of a window first; that it is told again is refused"),
    },
    Gap: {
        "log": Later(
            TWIN, "another log may have the same gap at the reader's place; the reader's next step is refused"
        ),
        "reason": Later(
            HIDDEN, "before an epoch's first records, a bridge and, where enough answered, a loss are both true"
        ),
        "responders": Later(HIDDEN, "who answered is hidden, as long as it suffices"),
        "statuses": Later(HIDDEN, "a reader may use an older table"),
        "esn": Later(CHOICE, "after an epoch, a reader may go on at ESN 0 or at ESN 1 of the next"),
        "upto_epoch": Later(CHOICE, "nodes may have trimmed to several points, each of which may be told"),
        "upto_esn": Later(CHOICE, "a loss may be told in parts, and as for its epoch"),
    },
    Ask: {
        "log": Later(TWIN, "the reader may be at the same place of another log; its next request there is refused"),
        "node": Later(CHOICE, "any of its nodes may be asked again by the same filters; what it sends then is refused"),
        "filters": Later(
            CHOICE, "a reader may rewind where it asks one node again; that it does not ask the others is refused"
        ),
        "mode": Later(CHOICE, "new filters may let one or all send; the reader's next request is refused"),
        "filtered_out": Later(CHANCE, "any nodes may seem down; the reader's next request is refused"),
    },
    Greylisted: {
        "log": Later(TWIN, "the reader may be at the same place of another log; its next request there is refused"),
        "node": Later(CHOICE, "any node may be slow; that another one is told of is refused"),
        "listed": Later(CHOICE, "as for the node"),
        "down": Later(HIDDEN, "who is down, and not empty, is hidden, as long as nodes were told of it"),
        "times": Later(HIDDEN, "what is remembered of a node that was gone is hidden; its next term is refused"),
        "term": Later(HIDDEN, "how long all was well is hidden; that the term ends at another time is refused"),
    },
    Reinstated: {
        "log": Later(TWIN, "as for a node that is listed"),
        "why": Later(HIDDEN, "why a node is back is hidden, unless its term is over"),
    },
    Ship: {
        "reader": Later(TWIN, "another reader may be sent the same; that it is sent again is refused"),
        "life": Later(CHANCE, "the first life of which a log tells; the next one is refused"),
        "order": Later(DELAY, "a later request may have come; what is sent by this one is refused"),
        "upto_epoch": Later(DELAY, "another window of which the node was told; the one before is refused"),
        "upto_esn": Later(DELAY, "as for its epoch"),
    },
    Erase: {
        "log": Later(TWIN, "another copy that is to go, of the same node; when that goes it is held no more"),
        "epoch": Later(TWIN, "as for its log"),
        "esn": Later(TWIN, "as for its log"),
    },
    Fault: {
        "node": Later(CHANCE, "any node may have faults; what it then does, or its restart, is refused"),
        "what": Later(CHANCE, "it may have another fault; what it then does is refused"),
    },
    Trim: {
        "log": Later(CHOICE, "an owner may want less of any log; what nodes then delete of the other one is refused"),
        "epoch": Later(CHOICE, "an owner may want less of what was released; where nodes then trim to is refused"),
        "esn": Later(CHOICE, "as for its epoch"),
    },
    Trimmed: {
        "log": Later(TWIN, "a node may trim another log that was asked to"),
        "epoch": Later(DELAY, "what was asked earlier may come late; that it is told as a gap up to there is refused"),
        "esn": Later(DELAY, "as for its epoch"),
    },
    Rebuilding: {
        "delta": Later(CHOICE, "a rebuilding that is not over may be given up; what donors then say of it is refused"),
        "donors": Later(CHOICE, "any nodes may be donors; what others rebuild is refused"),
    },
    Donated: {
        "donor": Later(TWIN, "another donor may be done with a log as well"),
        "donors": Later(HIDDEN, "the donor may have more logs to rebuild; what it says of them later is not refused"),
    },
    Rebuilt: {
        "donor": Later(HIDDEN, "another donor that holds the same may have brought it"),
        "copyset": Later(CHOICE, "any nodes that can hold copies; a copyset that names others later is refused"),
    },
    CopysetChanged: {
        "node": Later(BEGINNING, "a recorder's first event says for whom it speaks; its next one is refused"),
        "log": Later(TWIN, "the copyset of another copy of the node that lies on the same nodes"),
        "epoch": Later(TWIN, "as for its log"),
        "esn": Later(TWIN, "as for its log"),
        "donor": Later(HIDDEN, "another donor may change it"),
        "copyset": Later(HIDDEN, "other nodes that hold the same"),
    },
    Emptied: {
        "log": Later(TWIN, "another log may be released as far"),
        "epoch": Later(HIDDEN, "less may have been rebuilt than is released"),
        "esn": Later(HIDDEN, "as for its epoch"),
    },
}
"""By event and field, why nothing contradicts another value at once, and what contradicts it later."""
