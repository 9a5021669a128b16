"""Metadata: where the records of an epoch lie, as the metadata log says beside the log itself.

Sources: LogDevice, Read path, Metadata log; common/LogRecoveryRequest.cpp and common/MetaDataLogReader.h. A trace that
does not record what is read in metadata logs has no instances of these rules.
"""

from __future__ import annotations

from spec.events import NewEpoch
from spec.language.handles import Bool, Factors, Set, known
from spec.language.quantifiers import every
from spec.language.rule import rule
from spec.language.scopes import SCOPES
from spec.log.replication import promised_copies
from spec.log.views import Description, Epoch, MetadataRead


def same_metadata(nodes: Set, replication: Factors, given: Set, given_replication: Factors) -> Bool:
    """Two epochs have one nodeset and one replication property."""
    same_nodes = (nodes <= given) & (given <= nodes)
    return same_nodes & every(replication.at(scope) == given_replication.at(scope) for scope in SCOPES)


@rule(
    "log.metadata.is_replicated",
    cite="LogDevice, Read path, Metadata log: metadata logs are replicated and otherwise treated as regular logs",
    promise="copies",
)
def metadata_are_replicated(found: Description) -> Bool:
    """Metadata count as readable once as many nodes have them as an acknowledgement promises copies.

    A metadata log has a replication property of its own: that of the log's records says nothing of it.
    """
    return found.holders.size() >= promised_copies()


@rule(
    "log.metadata.before_release",
    cite="LogDevice, common/LogRecoveryRequest.cpp, readSequencerMetaData: recovery waits until they can be read",
    promise="release",
    spares=(NewEpoch,),
)
def released_once_metadata_are_readable(epoch: Epoch) -> Bool:
    """Nothing of an epoch is released before its metadata can be read in the metadata log.

    Where they are those of the last epoch that was described before, they can be read since then: its range goes on.
    """
    same = same_metadata(epoch.nodeset, epoch.replication, epoch.nodeset_described, epoch.replication_described)
    goes_on = known(epoch.described_last) & same & epoch.described_last_at.not_after(epoch.released_at)
    return (epoch.released & known(epoch.first_described)).implies(epoch.described_in_time | goes_on)


@rule(
    "log.metadata.as_given",
    cite="LogDevice, Read path, Metadata log: the epoch store has the current ones, the metadata log those of ranges",
    promise="placement",
)
def metadata_are_those_of_the_epoch_store(found: Description) -> Bool:
    """What the metadata log says of an epoch is what the epoch store gave to it, and to the range's first epoch."""
    of_epoch = same_metadata(found.nodeset, found.replication, found.given, found.given_replication)
    of_first = same_metadata(found.nodeset, found.replication, found.given_first, found.given_first_replication)
    return of_epoch & of_first


@rule(
    "log.metadata.ranges_are_apart",
    cite="LogDevice, Read path, Metadata log: the metadata log contains ranges of epochs, and metadata for each range",
    promise="placement",
)
def ranges_follow_each_other(found: Description) -> Bool:
    """The metadata of an epoch are those of an epoch before it, or begin after that one; none begin after their use."""
    goes_on = (found.since == found.since_before) | (found.since > found.number_before)
    return known(found.since_before).implies(goes_on & (found.since <= found.number))


@rule(
    "log.metadata.in_force",
    cite="LogDevice, Read path, How reads happen: the client reader gets the nodeset from the metadata log",
    promise="placement",
)
def readers_use_metadata_in_force(found: MetadataRead) -> Bool:
    """In each epoch, a reader uses the metadata that the epoch store gave to that epoch."""
    return same_metadata(found.nodeset, found.replication, found.given, found.given_replication)
