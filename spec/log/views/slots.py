"""What became of one LSN of a log, and of its choice of nodes."""

from __future__ import annotations

from spec.events import (
    BAD_CHECKSUM,
    BRIDGE,
    CORRECTED,
    DATALOSS,
    HOLE,
    NOT_TRIMMED,
    PERHAPS_TRIMMED,
    RECORD,
    SKIPPED,
    WIPE,
    WITHDRAWN,
    Ack,
    Append,
    AppenderDone,
    AtEnd,
    Chosen,
    Clean,
    CopysetChanged,
    DeleteSent,
    Deliver,
    Digest,
    Emptied,
    Erase,
    Gap,
    Mutate,
    OfWriter,
    Passed,
    Positioned,
    Rebuilt,
    Release,
    Ship,
    Shown,
    Store,
    Streamed,
    Trim,
    Trimmed,
)
from spec.events.positions import epoch
from spec.language.declare import View, along, any_of, common_of, max_of, min_of, set_of, union_of
from spec.language.handles import known
from spec.log.replication import promised_copies
from spec.log.views.tables import (
    Cleanings,
    Emptying,
    Faults,
    Hearings,
    Metadata,
    Plans,
    Retirements,
    Rounds,
    Statuses,
    Tellings,
)

_FOR_GOOD = (Gap.reason <= DATALOSS) | (Gap.reason == SKIPPED)
"""The reader will never be given what lies in such a gap: a hole, a bridge, a loss, or LSNs passed over in silence."""

_FIRST = (Store.wave == 1) & (Store.recovery == 0)
"""A copy of a sequencer's first attempt."""

_COMPLETES = (Store.becomes == RECORD) & (Store.holders.size() >= promised_copies())
"""A copy with which there are as many as are promised."""

_STANDS = Mutate.standing > WITHDRAWN
"""A decision that its recovery did not replace by another when it began anew."""

_UNMADE = Mutate.becomes != RECORD
_KEPT, _PLUGGED, _BRIDGED = (_STANDS & (Mutate.becomes == kind) for kind in (RECORD, HOLE, BRIDGE))


class Slot(View, one_per=(Positioned.log, Positioned.lsn)):
    """What became of one LSN of one log."""

    log, lsn = Positioned.log, Positioned.lsn
    in_log, in_epoch = along(Positioned.log), along(Positioned.log, epoch(Positioned.lsn))
    nodeset = Metadata.at(Metadata.nodeset, Positioned.log, epoch(Positioned.lsn))
    replication = Metadata.at(Metadata.replication, Positioned.log, epoch(Positioned.lsn))

    appended = any_of(Append)
    appended_least, appended_most = min_of(Append.digest), max_of(Append.digest)

    streamed = any_of(Streamed)

    stored = any_of(Store, where=Store.becomes == RECORD)
    stored_least = min_of(Store.digest, where=Store.becomes == RECORD)
    stored_most = max_of(Store.digest, where=Store.becomes == RECORD)
    stored_at = min_of(Store.time)
    complete = any_of(Store, where=_COMPLETES)
    complete_at = min_of(Store.time, where=_COMPLETES)
    placed = any_of(Store)
    placements = union_of(Store.copyset)
    first_placed = any_of(Store, where=_FIRST)
    first_placements, first_shared = union_of(Store.copyset, where=_FIRST), common_of(Store.copyset, where=_FIRST)
    copies = set_of(Store.node, where=Store.becomes == RECORD)
    holders = set_of(Store.node)
    written_last = max_of(Store.time)
    erased = set_of(Erase.node)
    erased_first, erased_last = min_of(Erase.time), max_of(Erase.time)
    wiped = Faults.at(Faults.nodes, WIPE)
    damaged_on = Faults.at(Faults.nodes, BAD_CHECKSUM)
    recovered_on = set_of(Store.node, where=Store.recovery > 0)
    appended_on = set_of(Store.node, where=(Store.becomes == RECORD) & (Store.recovery == 0))
    stored_last = max_of(Store.time, where=Store.becomes == RECORD)

    dismissed, held_again = union_of(DeleteSent.told), union_of(DeleteSent.again)
    dismissed_at = max_of(DeleteSent.time)
    retired = any_of(AppenderDone)
    retired_at = min_of(AppenderDone.time)
    first_retired = Retirements.at(Retirements.first, Positioned.log)
    leaders, stay, led_by = union_of(AppenderDone.leaders), union_of(AppenderDone.stay), union_of(AppenderDone.stored)

    acked = any_of(Ack)
    acked_least, acked_most = min_of(Ack.digest), max_of(Ack.digest)
    acked_at, acked_last_at = min_of(Ack.time), max_of(Ack.time)
    acked_invoker_least, acked_invoker_most = min_of(Ack.invoker), max_of(Ack.invoker)
    acked_invoked_least, acked_invoked_most = min_of(Ack.invoked), max_of(Ack.invoked)
    claimed = union_of(Ack.copyset)
    required, required_least = max_of(Ack.required), min_of(Ack.required)
    held_when_acked, holders_when_acked = min_of(Ack.held), union_of(Ack.holders)

    mutated = any_of(Mutate)
    plugged = any_of(Mutate, where=Mutate.becomes == HOLE)
    bridged = any_of(Mutate, where=Mutate.becomes == BRIDGE)
    plugged_at, plugged_by = min_of(Mutate.time, where=_UNMADE), max_of(Mutate.recovery, where=_UNMADE)
    kept_as_record = any_of(Mutate, where=Mutate.becomes == RECORD)
    decided_by = max_of(Mutate.recovery)
    record_stands, record_by = any_of(Mutate, where=_KEPT), max_of(Mutate.recovery, where=_KEPT)
    hole_stands, hole_by = any_of(Mutate, where=_PLUGGED), max_of(Mutate.recovery, where=_PLUGGED)
    bridge_stands, bridge_by = any_of(Mutate, where=_BRIDGED), max_of(Mutate.recovery, where=_BRIDGED)
    became_record = record_stands & (record_by >= decided_by)
    became_hole = hole_stands & (hole_by >= decided_by)
    became_bridge = bridge_stands & (bridge_by >= decided_by)
    corrected = any_of(Mutate, where=Mutate.standing == CORRECTED)
    corrected_at = max_of(Mutate.time, where=Mutate.standing == CORRECTED)
    hole_on = union_of(Store.plug_copies, where=Store.becomes == HOLE)
    bridge_on = union_of(Store.plug_copies, where=Store.becomes == BRIDGE)
    plugs_on = set_of(Store.node, where=Store.becomes != RECORD)
    told_on = set_of(Digest.node)
    told_least, told_most = min_of(Digest.digest), max_of(Digest.digest)
    heard_by_all = Hearings.at(Hearings.always, Positioned.log, epoch(Positioned.lsn))
    planned = Plans.at(Plans.planned, Positioned.log, epoch(Positioned.lsn), decided_by)
    last_round = Plans.at(Plans.last_round, Positioned.log, epoch(Positioned.lsn), decided_by)
    written = Rounds.at(Rounds.written, Positioned.log, epoch(Positioned.lsn), decided_by, last_round)
    plugged_first_by = min_of(Mutate.recovery, where=_STANDS & _UNMADE)
    plug_stored_first_by = min_of(Store.recovery, where=Store.becomes != RECORD)
    told_first = Tellings.at(Tellings.nodes, Positioned.log, Positioned.lsn, plugged_first_by)
    heard_first = Rounds.at(Rounds.heard, Positioned.log, epoch(Positioned.lsn), plugged_first_by, 1)
    rounds_first = Plans.at(Plans.last_round, Positioned.log, epoch(Positioned.lsn), plugged_first_by)
    mutated_least, mutated_most = min_of(Mutate.digest), max_of(Mutate.digest)
    kept_least = min_of(Mutate.digest, where=Mutate.becomes == RECORD)
    kept_most = max_of(Mutate.digest, where=Mutate.becomes == RECORD)
    hole_stored = any_of(Store, where=Store.becomes == HOLE)
    cleaned, cleaned_by = any_of(Clean), min_of(Clean.recovery)
    epoch_cleaned_first_by = Cleanings.at(Cleanings.first_by, Positioned.log, epoch(Positioned.lsn))
    epoch_cleaned_by = Cleanings.at(Cleanings.by, Positioned.log, epoch(Positioned.lsn))
    cleaning_planned = Plans.at(Plans.planned, Positioned.log, epoch(Positioned.lsn), epoch_cleaned_first_by)
    cleaning_round = Plans.at(Plans.last_round, Positioned.log, epoch(Positioned.lsn), epoch_cleaned_first_by)
    cleaning = Positioned.log, epoch(Positioned.lsn), epoch_cleaned_first_by, cleaning_round
    heard = Rounds.at(Rounds.heard, *cleaning)
    statuses_then = Rounds.at(Rounds.statuses, *cleaning)
    underreplicated_then = Statuses.at(Statuses.underreplicated, statuses_then)
    empty_then = Statuses.at(Statuses.empty, statuses_then)
    epoch_cleaned_at = Cleanings.at(Cleanings.cleaned_at, Positioned.log, epoch(Positioned.lsn))

    released = any_of(Release)
    released_at = min_of(Release.time)

    delivered = any_of(Deliver)
    delivered_least, delivered_most = min_of(Deliver.digest), max_of(Deliver.digest)
    delivered_at = min_of(Deliver.time)

    given_too_early = any_of(Deliver, where=Deliver.begun_before == 0)
    of_no_append = any_of(Deliver, where=Deliver.invoker == -1)

    shown = any_of(Shown)
    after, perhaps_after = max_of(Shown.after), max_of(Shown.perhaps_after)

    at_end = any_of(AtEnd)
    end_after, end_perhaps_after = max_of(AtEnd.after), max_of(AtEnd.perhaps_after)

    missed_upto = max_of(Passed.upto, where=Passed.why <= NOT_TRIMMED)
    perhaps_trimmed_upto = max_of(Passed.upto, where=Passed.why == PERHAPS_TRIMMED)
    answered_upto = max_of(Gap.upto, Passed.upto)
    gapped = any_of(Gap, where=_FOR_GOOD)
    gapped_upto = max_of(Gap.upto, where=_FOR_GOOD)
    benign = any_of(Gap, where=Gap.reason <= BRIDGE)
    benign_upto = max_of(Gap.upto, where=Gap.reason <= BRIDGE)
    benign_by = max_of(Gap.statuses, where=Gap.reason <= BRIDGE)
    hole_reported = any_of(Gap, where=Gap.reason == HOLE)
    lost_upto = max_of(Gap.upto, where=Gap.reason == DATALOSS)
    lost_at = min_of(Gap.time, where=Gap.reason == DATALOSS)
    lost_as_heard = common_of(Gap.responders, where=Gap.reason == DATALOSS)

    shipped = any_of(Ship)
    shippers_of_record = set_of(Ship.node, where=Ship.becomes == RECORD)
    shippers_of_plug = set_of(Ship.node, where=Ship.becomes != RECORD)
    shipped_at = min_of(Ship.time)
    sent = any_of(Ship, where=Ship.becomes == RECORD)
    sent_least = min_of(Ship.digest, where=Ship.becomes == RECORD)
    sent_most = max_of(Ship.digest, where=Ship.becomes == RECORD)

    rebuilt = any_of(Rebuilt)
    rebuilt_record = any_of(Rebuilt, where=Rebuilt.becomes == RECORD)
    rebuilt_least = min_of(Rebuilt.digest, where=Rebuilt.becomes == RECORD)
    rebuilt_most = max_of(Rebuilt.digest, where=Rebuilt.becomes == RECORD)
    rebuilt_on = set_of(Rebuilt.node)
    record_rebuilt_on = set_of(Rebuilt.node, where=Rebuilt.becomes == RECORD)
    plug_rebuilt_on = set_of(Rebuilt.node, where=Rebuilt.becomes != RECORD)
    donors_of_record = set_of(Rebuilt.donor, where=Rebuilt.becomes == RECORD)
    donors_of_plug = set_of(Rebuilt.donor, where=Rebuilt.becomes != RECORD)
    rebuilt_at = min_of(Rebuilt.time)
    copyset_changed = any_of(CopysetChanged)
    renamed = union_of(CopysetChanged.copyset)
    renamed_on = set_of(CopysetChanged.node)
    emptied = Emptying.at(Emptying.nodes, Positioned.log)
    emptied_upto = Emptying.at(Emptying.upto, Positioned.log)

    trim_asked, trim_asked_at = any_of(Trim), min_of(Trim.time)
    trimmed = any_of(Trimmed)
    trimmed_at = min_of(Trimmed.time)

    told_upto = in_log.highest(answered_upto)
    passed_upto = in_log.highest(gapped_upto)
    told_benign_upto, told_benign_by = in_log.highest(benign_upto), in_log.latest(benign_by)
    gone_when_told = Statuses.at(Statuses.underreplicated, told_benign_by)
    told_lost_upto = in_log.highest(lost_upto)
    passed_without_reason_upto = in_log.highest(missed_upto)
    perhaps_passed_upto = in_log.highest(perhaps_trimmed_upto)
    end_before = in_log.latest(lsn.when(at_end))
    known_at_an_end, perhaps_known_at_an_end = in_log.highest(end_after), in_log.highest(end_perhaps_after)
    next_acked = in_log.next(lsn.when(acked))
    next_delivered = in_log.next(lsn.when(delivered))
    next_release, covering_release = in_log.next(lsn.when(released)), in_log.lowest(released_at)
    next_untimed_release = in_log.next(lsn.when(released & ~known(released_at)))
    next_release_in_epoch, covering_release_in_epoch = in_epoch.next(lsn.when(released)), in_epoch.lowest(released_at)
    next_emptied, emptied_last_at = in_log.next(min_of(Emptied.node)), -in_log.lowest(-max_of(Emptied.time))
    next_trim, covering_trim = in_log.next(lsn.when(trim_asked)), in_log.lowest(trim_asked_at)
    next_untimed_trim = in_log.next(lsn.when(trim_asked & ~known(trim_asked_at)))
    next_kept = in_epoch.next(lsn.when(acked | delivered))
    bridge_before = in_epoch.latest(lsn.when(became_bridge))
    last_bridge = in_epoch.latest(lsn.when(became_bridge & ~became_hole & ~became_record))
    last_bridge_by = in_epoch.latest(bridge_by.when(became_bridge & ~became_hole & ~became_record))
    first_bridge = -in_epoch.highest(-lsn.when(bridged | ~bridge_on.is_empty()))
    clean_after = in_epoch.next(lsn.when(cleaned))
    ended_before = in_epoch.latest(lsn.when(became_hole | became_bridge | hole_reported))
    hole_reported_before = in_epoch.latest(lsn.when(hole_reported))
    ended_before_by = in_epoch.latest(decided_by.when(became_hole | became_bridge))


class StreamPlace(View, one_per=(OfWriter.log, OfWriter.writer, OfWriter.lsn)):
    """What one LSN of one client's stream is, beside the one with the LSN below it."""

    of_client = along(OfWriter.log, OfWriter.writer)
    in_epoch = along(OfWriter.log, OfWriter.writer, epoch(OfWriter.lsn))

    place = min_of(Streamed.place)
    acked = any_of(Ack)
    acked_seq = min_of(Ack.seq)

    place_before = of_client.previous(place)
    acked_before = of_client.previous(acked)
    place_before_in_epoch = in_epoch.previous(place)
    acked_seq_before = in_epoch.previous(acked_seq)


class Dismissal(View, each=(DeleteSent.log, DeleteSent.lsn, DeleteSent.seq)):
    """One time that a sequencer told nodes to delete their copies of an append."""

    told, kept = DeleteSent.told, DeleteSent.kept
    replication = Metadata.at(Metadata.replication, DeleteSent.log, epoch(DeleteSent.lsn))


class Choice(View, each=(Chosen.log, Chosen.lsn, Chosen.seq)):
    """One time that a sequencer chose where an append goes first, in the order of ESNs."""

    esn, block, room = Chosen.esn, Chosen.block, Chosen.room
    copyset, avoided = Chosen.copyset, Chosen.avoided
    nodeset = Metadata.at(Metadata.nodeset, Chosen.log, epoch(Chosen.lsn))
    replication = Metadata.at(Metadata.replication, Chosen.log, epoch(Chosen.lsn))
    in_epoch = along(Chosen.log, epoch(Chosen.lsn))

    block_before = in_epoch.previous(block)
    copyset_before = in_epoch.previous(copyset)
