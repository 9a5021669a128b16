"""What is noticed later: values that the machine leaves open, so that nothing before the event contradicts another one.

An event with another such value is refused at the first event that contradicts it, or is another behaviour.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from spec.events import (
    Allow,
    Append,
    Ask,
    Chosen,
    CopysetChanged,
    Donated,
    Emptied,
    Erase,
    Fault,
    Gap,
    Invoke,
    Mutate,
    NewEpoch,
    Obeyed,
    Planned,
    Purged,
    Read,
    Rebuilding,
    Rebuilt,
    Release,
    Seal,
    Settled,
    Ship,
    SoftSealed,
    StatusTable,
    Store,
)
from spec.language.events import AnyEvent

LATER: Final[Mapping[type[AnyEvent], Mapping[str, str]]] = {
    NewEpoch: {
        "log": "a log's first epochs may begin at any time; appends in the log that lacks it are refused",
        "sequencer": "any node may become the sequencer; the first append of another one is refused",
        "nodeset": "any nodes that can hold copies; copies on other nodes are refused",
        "replication": "a log's first epoch fixes it; what is stored otherwise is refused",
    },
    StatusTable: {
        "version": "the first table may have any number",
        "unavailable": "suspicion may be wrong",
        "underreplicated": "a node that was wiped before may be lost again",
        "empty": "a node may be emptied at any time; that it serves again without a restart is refused",
    },
    Invoke: {
        "log": "a client that waits for nothing may use any log; the answer in the other log is refused",
        "digest": "a payload may be anything new; its append is refused, since nobody asked for it",
        "writer": "a recorder's first event says for whom it speaks; its next one is refused",
    },
    Append: {"digest": "another payload that waits for an LSN; the acknowledgement of either is refused"},
    Store: {
        "node": "a recorder's first event says for whom it speaks; its next one is refused",
        "esn": "of what a recovery writes: a plug may stand at any ESN that nobody told of; the decision is refused",
        "epoch": "of what a recovery writes: an epoch of which nobody told anything; the decision is refused",
        "log": "of what a recovery writes: as for its epoch",
        "wave": "a later wave may be due; the acknowledgement is refused, since no wave is stored whole",
        "becomes": "of what a recovery writes: a hole may stand where the bridge stands; the decision is refused",
        "copyset": "a wave's first store says what its copyset is; its next one is refused",
    },
    Seal: {
        "log": "the same epoch of another log may be sealed; the node's digest is refused",
        "epoch": "an earlier epoch may be sealed first; the node's digest is refused",
    },
    Planned: {
        "log": "another recovery of the sequencer may have come as far; what it stores is refused",
        "epoch": "as for its log",
        "recovery": "another recovery may have heard as many; what it stores is refused",
        "heard": "who answered is hidden, as long as it suffices; what the recovery stores is refused",
        "written": "any of those who were heard, as long as they can hold a copyset",
        "statuses": "a recovery may go by an older table, as long as its answers suffice by that",
    },
    Obeyed: {
        "log": "a node may obey the same recovery in another log or epoch, without storing anything",
        "epoch": "as for its log",
        "round": "what an earlier round decided may come late",
    },
    Chosen: {
        "log": "an append of another log may be the last one as well; its own record of it is refused",
        "epoch": "as for its log",
        "copyset": "a block may begin on any nodes that can hold copies; what is stored elsewhere is refused",
        "avoided": "who failed to store is hidden, as long as it makes no difference",
    },
    Purged: {
        "node": "a recorder's first event says for whom it speaks; its next one is refused",
        "log": "a node may purge another log that is as far",
        "recovery": "several recoveries may have decided an epoch, in the same way",
    },
    SoftSealed: {
        "node": "a recorder's first event says for whom it speaks; its next one is refused",
        "log": "another log may have appends of a later epoch; the store that follows is refused",
        "epoch": "a later epoch may have appends, too; the store that follows is refused",
    },
    Settled: {
        "log": "a node may learn of any epoch that is decided",
        "epoch": "as for its log",
        "recovery": "several recoveries may have decided an epoch, in the same way",
    },
    Mutate: {
        "epoch": "another recovery of the sequencer may have come as far; its next decision is refused",
        "recovery": "another recovery may know the same; its next decision is refused",
    },
    Release: {
        "log": "another log may be released as far",
        "epoch": "an earlier epoch may be released further",
        "esn": "less may be released than could be",
    },
    Read: {
        "log": "a reader may begin in any log; it goes on in a log where it did not begin",
        "reader": "a recorder's first event says for whom it speaks; its next one is refused",
    },
    Gap: {
        "log": "another log may have the same gap at the reader's place; the reader's next step is refused",
        "reason": "before an epoch's first records, a bridge and, where enough answered, a loss are both true",
        "responders": "who answered is hidden, as long as it suffices",
        "statuses": "a reader may go by an older table",
    },
    Ask: {
        "log": "the reader may be at the same place of another log; its next request there is refused",
        "node": "any of its nodes may be asked again by the same filters; what it sends then is refused",
        "filters": "a reader may rewind where it asks one node again; that it does not ask the others is refused",
        "mode": "new filters may let one or all send; the reader's next request is refused",
        "filtered_out": "any nodes may seem down; the reader's next request is refused",
    },
    Allow: {"node": "any node that sends may be told of a window first; that it is told again is refused"},
    Ship: {
        "reader": "another reader may be sent the same; that it is sent again is refused",
        "life": "the first life of which a log tells; the next one is refused",
        "order": "a later request may have come; what is sent by this one is refused",
        "upto_epoch": "another window of which the node was told; the one before is refused",
        "upto_esn": "as for its epoch",
    },
    Erase: {
        "log": "another copy that is to go, of the same node; when that goes it is held no more",
        "epoch": "as for its log",
        "esn": "as for its log",
    },
    Fault: {
        "node": "faults may befall any node; what it then does, or its restart, is refused",
        "what": "another fault may befall it; what it then does is refused",
    },
    Rebuilding: {"donors": "any nodes may be donors; what others rebuild is refused"},
    Donated: {
        "donor": "another donor may be done with a log as well",
        "donors": "the donor may have more logs to rebuild; what it says of them later is not refused",
    },
    Rebuilt: {
        "donor": "another donor that holds the same may have brought it",
        "copyset": "any nodes that can hold copies; a copyset that names others later is refused",
    },
    CopysetChanged: {
        "node": "a recorder's first event says for whom it speaks; its next one is refused",
        "log": "the copyset of another copy of the node that lies on the same nodes",
        "epoch": "as for its log",
        "esn": "as for its log",
        "donor": "another donor may change it",
        "copyset": "other nodes that hold the same",
    },
    Emptied: {
        "log": "another log may be released as far",
        "epoch": "less may have been rebuilt than is released",
        "esn": "as for its epoch",
    },
}
"""By event and field, why nothing contradicts another value at once, and what contradicts it later."""
