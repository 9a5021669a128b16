"""Delivery: what storage nodes send to readers, and what readers ask of them.

Sources: LogDevice, Read path (How reads happen, Flow control) and Single Copy Delivery;
common/client_read_stream/ClientReadStream.cpp and server/read_path/CatchupOneStream.cpp. A trace that does not record
what goes over the wire has no instances of these rules.
"""

from __future__ import annotations

from spec.events import DATALOSS, EVERYONE, Scattered, ScatteredReader
from spec.language.handles import Bool, alike, known
from spec.language.rule import rule
from spec.log.released import is_released_by
from spec.log.views import Conclusion, Shipment, Slot, StartMessage, WindowUpdate


@rule(
    "log.deliver.sends_what_it_holds",
    cite="LogDevice, Read path, How reads happen: storage nodes read records from the local log store",
)
def node_sends_what_it_holds(slot: Slot) -> Bool:
    """Whoever sends a copy of an LSN has stored one like it, a record or a plug, or was given one to rebuild."""
    records = slot.shippers_of_record <= (slot.copies | slot.record_rebuilt_on)
    plugs = slot.shippers_of_plug <= (slot.plugs_on | slot.plug_rebuilt_on)
    same = alike(slot.sent_least, slot.sent_most, slot.stored_least, slot.stored_most)
    return slot.shipped.implies(records & plugs & (same | ~slot.sent | ~slot.stored))


@rule(
    "log.deliver.sends_what_is_released",
    cite="LogDevice, Read path, How reads happen: nodes only deliver records that the sequencer has released",
    promise="release",
)
def node_sends_what_is_released(slot: Slot) -> Bool:
    """A copy is sent only after a release that covers it."""
    in_time = is_released_by(slot, slot.shipped_at)
    return slot.shipped.implies(in_time)


@rule(
    "log.deliver.given_as_sent",
    cite="LogDevice, Read path, How reads happen: all copies of a record are alike, so the first one is delivered",
)
def record_is_given_as_sent(slot: Slot) -> Bool:
    """What readers are given of an LSN is what nodes sent of it."""
    same = alike(slot.delivered_least, slot.delivered_most, slot.sent_least, slot.sent_most)
    return (slot.sent & slot.delivered).implies(same)


@rule(
    "log.deliver.in_order",
    cite="LogDevice, Read path, How reads happen: storage nodes send records in the order of their LSNs",
    spares=(Scattered,),
)
def node_sends_in_order(shipment: Shipment) -> Bool:
    """After each request of a reader, a node sends every LSN once, in increasing order."""
    in_turn = (shipment.lsn > shipment.lsn_before) & (shipment.seq.when(shipment.seen_by_one) > shipment.seq_before)
    return known(shipment.lsn_before).implies(in_turn)


@rule(
    "log.deliver.within_window",
    cite="LogDevice, Read path, How reads happen: storage nodes send no records beyond the window",
)
def node_sends_within_the_window(shipment: Shipment) -> Bool:
    """A node sends nothing beyond the window that the reader told it."""
    return known(shipment.upto).implies(shipment.lsn <= shipment.upto)


@rule(
    "log.deliver.never_asks_again",
    cite="LogDevice, Single Copy Delivery, Rewinding the stream: all nodes are asked from the next LSN to deliver",
)
def reader_asks_only_for_what_it_lacks(request: StartMessage) -> Bool:
    """A reader never asks a node again for what it had already been given when it asked before."""
    return known(request.seq_before).implies(request.seq > request.seq_before)


@rule(
    "log.deliver.window_goes_on",
    cite="LogDevice, Read path, How reads happen: the window slides along with the reader",
)
def window_never_goes_back(wish: WindowUpdate) -> Bool:
    """The end of the window that a reader tells a node never goes back."""
    return known(wish.upto).implies(wish.upto >= wish.upto_so_far)


@rule(
    "log.deliver.window_fits",
    cite="LogDevice, common/client_read_stream/ClientReadStream.cpp, slideSenderWindows: as large as the buffer",
)
def window_fits_into_the_buffer(wish: WindowUpdate) -> Bool:
    """A window has no more LSNs than the reader has room for."""
    return known(wish.capacity).implies(wish.upto < wish.lsn + wish.capacity)


@rule(
    "log.deliver.versions_rise",
    cite="LogDevice, Single Copy Delivery, Rewinding the stream: the filter version is incremented",
)
def filter_versions_rise(wish: WindowUpdate) -> Bool:
    """A reader never asks by filters that it had given up."""
    return known(wish.filters).implies(wish.filters >= wish.filters_so_far)


@rule(
    "log.deliver.change_rewinds",
    cite="LogDevice, Single Copy Delivery, Rewinding the stream: a new known down list comes with a new filter version",
)
def changed_filters_have_a_new_version(request: StartMessage) -> Bool:
    """Who is to send changes only with the version of the filters, and nobody else is passed over before.

    Nodes that leave the read set leave the list at once: ClientReadStreamScd.cpp, updateStorageShardsSet.
    """
    same = (request.filtered_out <= request.filtered_out_before) & request.mode.is_(request.mode_before)
    return request.filters.is_(request.filters_before).implies(same)


@rule(
    "log.deliver.nobody_passed_over",
    cite="LogDevice, Single Copy Delivery, When does the client do failover to All Send All mode: everyone sends",
)
def all_send_all_passes_nobody_over(request: StartMessage) -> Bool:
    """Where everyone who has a record is to send it, nobody is passed over."""
    return request.mode.is_(EVERYONE).implies(request.filtered_out.is_empty())


@rule(
    "log.deliver.loss_only_if_all_send",
    cite="LogDevice, Read path, All Send All: the client never delivers a data loss gap while in SCD mode",
    promise="gap_reports",
    spares=(ScatteredReader,),
)
def loss_is_told_only_where_all_send(conclusion: Conclusion) -> Bool:
    """A reader is told of a loss only after it had asked everyone who has a record to send it."""
    asked = known(conclusion.mode) | ~conclusion.seen_by_one
    everyone = conclusion.mode.when(conclusion.seen_by_one) == EVERYONE
    return (conclusion.reason.is_(DATALOSS) & asked).implies(everyone)
