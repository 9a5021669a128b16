"""What may go unnoticed: events that nothing misses, and events that may be said twice, by recorders who number anew.

Where numbers stay as they were, the recorder's next event is refused. Two neighbours that change places are refused
where one is the cause of the other; else they commute.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from reference_impl.replay.open_choices import Later, OpenChoice
from spec.events import (
    Ack,
    Allow,
    AppenderDone,
    Ask,
    Chosen,
    CleanLearned,
    CopysetChanged,
    Deliver,
    Digest,
    Donated,
    Emptied,
    Erase,
    Fault,
    Gap,
    Greylisted,
    Indefinite,
    Learnt,
    Mutate,
    MutationStored,
    Planned,
    Purged,
    PurgeSurvivor,
    Read,
    Rebuilding,
    Rebuilt,
    Refused,
    Reinstated,
    Release,
    Seal,
    Ship,
    StatusTable,
    Store,
    Streamed,
    Trim,
    Trimmed,
)
from spec.language.events import AnyEvent

CHOICE, HIDDEN = OpenChoice.CHOICE, OpenChoice.HIDDEN
CHANCE, DELAY = OpenChoice.CHANCE, OpenChoice.DELAY
LAST: Final = "the last one of a reader: it may have stopped there"

LEFT_OUT: Final[Mapping[type[AnyEvent], Later]] = {
    StatusTable: Later(HIDDEN, "the first or the last one; what uses it is refused"),
    Refused: Later(DELAY, "answers may be lost; that the client goes on without one is refused"),
    Indefinite: Later(DELAY, "as for an answer"),
    Ack: Later(DELAY, "as for an answer"),
    Chosen: Later(HIDDEN, "any append but a block's first; what goes on with another block is refused"),
    Store: Later(HIDDEN, "one of which nothing tells, when others are enough; what counts on it is refused"),
    Streamed: Later(HIDDEN, "the last one of a client in an epoch; its next one is refused"),
    AppenderDone: Later(DELAY, "one that nothing waits for; the release of it is refused"),
    Erase: Later(CHANCE, "copies that are not told of again; that a node leaves one out is refused"),
    Seal: Later(DELAY, "a node that no recovery hears; its digest, and a plan that counts on it, are refused"),
    Digest: Later(HIDDEN, "the first, or all that a node tells; a decision that needs it is refused"),
    Planned: Later(HIDDEN, "one by which nothing is stored before a later recovery; what is stored by it is refused"),
    Mutate: Later(HIDDEN, "the first ones, if they were stored as promised: a recovery may know"),
    MutationStored: Later(HIDDEN, "its answer may be lost, and so may what it stored be known"),
    CleanLearned: Later(DELAY, "a node may learn of it later, or never"),
    Purged: Later(DELAY, "the last one of a node; what it tells of that epoch is refused"),
    PurgeSurvivor: Later(HIDDEN, "the first or the last of an epoch; any other is missed by the next"),
    Release: Later(DELAY, "a later one says as much; what is read or wanted no more before that is refused"),
    Read: Later(CHOICE, "a reader may begin and be given nothing; what it is given is refused"),
    Deliver: Later(CHOICE, LAST),
    Gap: Later(CHOICE, LAST),
    Learnt: Later(CHOICE, LAST),
    Ask: Later(CHOICE, "the last one of a reader, or of a node that sends nothing"),
    Allow: Later(CHOICE, "a window in which nothing is sent; what is sent in it is refused"),
    Greylisted: Later(HIDDEN, "who is slow is the reader's to say; what it asks by that is refused"),
    Reinstated: Later(HIDDEN, "as for one that is listed"),
    Ship: Later(HIDDEN, "the last one of a node, or what is another one's to send"),
    Fault: Later(CHANCE, "the last one of a node, or one that nothing shows"),
    Trim: Later(CHOICE, "one that no node has come to; that it trims to there is refused"),
    Trimmed: Later(DELAY, "a node may trim later; what it is told of is gone at other nodes, too"),
    Rebuilding: Later(HIDDEN, "the last one; the next version is refused"),
    Donated: Later(HIDDEN, "as for a rebuilding"),
    Rebuilt: Later(HIDDEN, "a copy of which nothing tells; what counts on it is refused"),
    CopysetChanged: Later(HIDDEN, "where copies lie is a hint, except to those who send single copies"),
    Emptied: Later(HIDDEN, "that a node is empty is said by the table; this adds how far"),
}
"""By event, why nothing may miss it, and what does where something does."""

DOUBLED: Final[Mapping[type[AnyEvent], Later]] = {
    MutationStored: Later(DELAY, "a recovery stores again what nobody confirmed in time"),
    Digest: Later(DELAY, "a recovery may ask again; told twice is refused unless it is the only copy told"),
    Mutate: Later(HIDDEN, "the bridge of an epoch that has one ESN; a recovery may decide it again"),
    Fault: Later(CHANCE, "what makes a node slow, or keeps it from others, may do so twice at a time"),
    Ask: Later(CHOICE, "one node may be asked again by the same filters"),
    Emptied: Later(HIDDEN, "it changes nothing"),
    CopysetChanged: Later(DELAY, "a donor repeats what nobody confirmed in time"),
}
"""By event, why it may be said twice; any other is refused."""
