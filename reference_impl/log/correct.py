"""The correct machine: every decision as the protocol has it."""

from __future__ import annotations

from typing import Final

from reference_impl.log import (
    amending,
    blocks,
    client,
    describing,
    epoch_store,
    frames,
    metadata_log,
    metadata_reading,
    recovery,
    sequencer,
    stages,
    storage,
    trimming,
)
from reference_impl.log.delivery import greylist
from reference_impl.log.machine import Decisions
from reference_impl.log.rebuilding import donor, event_log, holding
from reference_impl.log.rebuilding.statuses import shard_status
from reference_impl.log.repair import plan
from reference_impl.log.serving import catching_up
from reference_impl.log.stream import machine as stream

CORRECT: Final = Decisions(
    next_epoch=epoch_store.next_epoch,
    may_clean=epoch_store.may_clean,
    may_provision=epoch_store.may_provision,
    with_epoch=metadata_log.with_epoch,
    awaits_metadata=describing.awaits_metadata,
    is_readable=describing.is_readable,
    metadata_is_known=metadata_reading.is_known,
    ranges=metadata_log.ranges,
    next_esn=sequencer.next_esn,
    is_for=sequencer.is_for,
    is_repetition=sequencer.is_repetition,
    copyset=sequencer.copyset,
    block_goes_on=blocks.goes_on,
    placed_in=blocks.placed_in,
    payload=sequencer.payload,
    is_stored=sequencer.is_stored,
    is_replicated_on=stages.is_replicated,
    is_led=stages.is_led,
    unneeded=stages.unneeded,
    goes_on=stages.goes_on,
    amended=amending.amended,
    may_delete=amending.may_delete,
    when_preempted=sequencer.when_preempted,
    refused_when_preempted=sequencer.refused_when_preempted,
    confirmed=sequencer.confirmed,
    releasable=sequencer.releasable,
    may_store=storage.may_store,
    raised=storage.raised,
    may_mutate=storage.may_mutate,
    is_settled=storage.is_settled,
    after_crash=storage.after_crash,
    after_trim=trimming.after_trim,
    first_kept=trimming.first_kept,
    readable_upto=storage.readable_upto,
    awaits_outcome=storage.awaits_outcome,
    is_outdated=storage.is_outdated,
    seals=storage.seals,
    recovery_order=recovery.recovery_order,
    nodeset_of=recovery.nodeset_of,
    plan=plan.plan_of,
    is_replicated=recovery.is_replicated,
    sendable_upto=catching_up.sendable_upto,
    sends=catching_up.sends,
    order_sent=catching_up.order_sent,
    lacking=catching_up.lacking,
    expands=frames.expands,
    read_step=stream.step,
    outlier_limit=greylist.outlier_limit,
    detect_slow=greylist.detect,
    reinstate=greylist.reinstate,
    retry_number=client.retry_number,
    next_version=event_log.next_version,
    shard_status=shard_status,
    donates=donor.donates,
    may_be_missing=donor.may_be_missing,
    rebuilt_copyset=donor.rebuilt_copyset,
    amended_copyset=donor.amended_copyset,
    awaited=donor.awaited,
    may_lend=holding.may_lend,
    may_hold=holding.may_hold,
    lent_digest=holding.lent_digest,
)
