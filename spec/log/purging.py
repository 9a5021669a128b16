"""Purging: nodes that missed a recovery repair their copies before they show anything of later epochs.

Sources: LogDevice, server/storage/PurgeUncleanEpochs.cpp and PurgeSingleEpoch.cpp. As shipped, such a node keeps
nothing that recovery decided of; these rules let it keep what is right. A trace that does not record purges has no
instances of them.
"""

from __future__ import annotations

from spec.events import BRIDGE, HOLE, RECORD
from spec.language.handles import Bool, known
from spec.language.rule import rule
from spec.log.views import Purge, Remnant


@rule(
    "log.purge.of_a_clean_epoch",
    cite="LogDevice, common/GetEpochRecoveryMetadataRequest.cpp: a shard is told by one that recovery has cleaned",
    promise="recovery",
)
def purged_by_what_was_decided(purge: Purge) -> Bool:
    """A node purges an epoch that is clean, by what a later epoch's recovery decided for it, if that was anything.

    Recovery leaves no word of an epoch whose bridge is its first ESN.
    """
    is_clean = known(purge.cleaned_by) & purge.cleaned_at.not_after(purge.time)
    knows_of_none = (purge.recovery == 0) & (purge.bridge <= 1)
    return ((purge.number < purge.recovery) | knows_of_none) & is_clean


@rule(
    "log.purge.keeps_what_was_decided",
    cite="LogDevice, server/storage/PurgeSingleEpoch.cpp: of what is not known to be good, what was overruled goes",
    promise="recovery",
)
def remnants_are_what_was_decided(remnant: Remnant) -> Bool:
    """What a node still holds of an epoch that it purged, after what was known to be good, is what recovery decided."""
    is_record = remnant.becomes.is_(RECORD) & known(remnant.record_by) & (remnant.record_by >= remnant.decided_by)
    is_hole = remnant.becomes.is_(HOLE) & known(remnant.hole_by) & (remnant.hole_by >= remnant.decided_by)
    is_bridge = remnant.becomes.is_(BRIDGE) & known(remnant.bridge_by) & (remnant.bridge_by >= remnant.decided_by)
    return (is_record & (remnant.digest == remnant.decided_digest)) | is_hole | is_bridge
