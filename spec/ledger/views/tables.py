"""Tables that views of ledgers look things up in."""

from __future__ import annotations

from spec.language.declare import Dimension, count_of, max_of, min_of, only_of, set_of, union_of
from spec.ledger.events import (
    Acknowledged,
    Change,
    Checked,
    Closed,
    Created,
    EnsembleChanged,
    Fenced,
    InRecovery,
    Lost,
    Marked,
    MarkEvent,
    MetadataEvent,
    Named,
    ReadBack,
    RecoveryBegan,
    Registration,
    Restored,
    Sent,
    Stored,
)
from spec.ledger.events.values import REPLICATION


class Sizes(Dimension, by=(Created.ledger,)):
    """E, W and A of each ledger: BookKeeper, client/LedgerMetadataBuilder.java."""

    ensemble, write, ack = only_of(Created.ensemble_size), only_of(Created.write_quorum), only_of(Created.ack_quorum)


class Ensembles(Dimension, by=(Named.ledger, Named.version, Named.entry, Named.member)):
    """Who is which member of the ensemble of a segment, by the version that named it."""

    named = only_of(Named.bookie)


class Beginnings(Dimension, by=(Named.ledger,)):
    """The first entry of each ledger, with which its first segment begins."""

    entry = min_of(Named.entry)


class Ends(Dimension, by=(Closed.ledger,)):
    """Where each closed ledger ends: the first entry that it does not have; since which version, and when."""

    end, since, closed = only_of(Closed.entry), min_of(Closed.version), min_of(Closed.seq)


class Changes(Dimension, by=(EnsembleChanged.ledger, EnsembleChanged.entry)):
    """When a writer last changed the ensemble of the segment that begins at an entry, and by which version."""

    last, last_at = max_of(EnsembleChanged.version), max_of(EnsembleChanged.time)


class Versions(Dimension, by=(MetadataEvent.ledger, MetadataEvent.version)):
    """The changes that made each version of a ledger's metadata, and with which entry its last segment begins."""

    changes, last_segment = count_of(Change), max_of(Named.entry)


class Takeovers(Dimension, by=(InRecovery.ledger,)):
    """Since which version a ledger is in recovery."""

    since = min_of(InRecovery.version)


class Marks(Dimension, by=(MarkEvent.ledger, MarkEvent.change)):
    """What the mark of a ledger says after each change."""

    since, replicas = only_of(Marked.since), only_of(Marked.replicas)


class Acks(Dimension, by=(Acknowledged.ledger, Acknowledged.entry)):
    """When each entry was acknowledged, in its writer's own order too, and whose answers that counts on."""

    first, first_at = min_of(Acknowledged.seq), min_of(Acknowledged.time)
    counted = union_of(Acknowledged.counted)


class Senders(Dimension, by=(Sent.ledger,)):
    """The ledgers that anybody sent an entry of."""

    first = min_of(Sent.entry)


class Fences(Dimension, by=(Fenced.ledger, Fenced.bookie)):
    """When each bookie fenced each ledger, by its clock and in its own order."""

    first, first_at = min_of(Fenced.seq), min_of(Fenced.time)


class Recoveries(Dimension, by=(RecoveryBegan.ledger, RecoveryBegan.client)):
    """Who had fenced a ledger and answered whenever a client began to recover it, first and last in its own order."""

    answered, attempts = union_of(RecoveryBegan.answered), count_of(RecoveryBegan)
    began_first, began = min_of(RecoveryBegan.seq), max_of(RecoveryBegan.seq)


class Attempts(Dimension, by=(RecoveryBegan.ledger, RecoveryBegan.client, RecoveryBegan.seq)):
    """Who had fenced a ledger and answered each time that a client began to recover it."""

    answered = only_of(RecoveryBegan.answered)


class Answers(Dimension, by=(ReadBack.ledger, ReadBack.entry, ReadBack.client)):
    """What a recovery was told of each entry: who has no such entry, and when somebody had it."""

    absent = set_of(ReadBack.member, where=ReadBack.found == 0)
    absent_last = max_of(ReadBack.seq, where=ReadBack.found == 0)
    present_first = min_of(ReadBack.seq, where=ReadBack.found == 1)
    present_last = max_of(ReadBack.seq, where=ReadBack.found == 1)


class Losses(Dimension, by=(Lost.ledger,)):
    """The bookies that lost copies of a ledger."""

    bookies = set_of(Lost.bookie)


class Registrations(Dimension, by=(Registration.present,)):
    """The bookies whose registration ever was gone, and those that ever registered again."""

    bookies = set_of(Registration.bookie)


class Restorations(Dimension, by=(Restored.ledger,)):
    """The bookies that others took the place of, by ledger."""

    lost = set_of(Restored.lost)


class Replacements(Dimension, by=(Restored.ledger, Restored.entry, Restored.member)):
    """The last bookie that was put in the place of a lost one, by segment and member; known if there was but one."""

    bookie = only_of(Restored.bookie)


class Recopied(Dimension, by=(Stored.ledger,)):
    """The bookies that a replicator had store a copy, by ledger."""

    bookies = set_of(Stored.bookie, where=Stored.purpose == REPLICATION)


class Endings(Dimension, by=(Checked.ledger, Checked.run)):
    """How the check of a ledger ended, by which version of its metadata, and whether after a delay."""

    ending, version, delayed = only_of(Checked.ending), max_of(Checked.version), max_of(Checked.delayed)
