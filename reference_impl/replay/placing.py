"""Guards of blocks: where appends are to go first, for as long as the nodes there store them."""

from __future__ import annotations

from typing import Final

from reference_impl.log.placing import ROOM, Block, goes_on
from reference_impl.replay.guard import Against, change, differ, guard
from reference_impl.replay.observed import Log
from reference_impl.replay.stages import is_copyset
from reference_impl.replay.trace_events import TraceEvent
from spec.events import Append, Chosen, NewEpoch, Store

STICKY: Final = "LogDevice, Read path, Sticky copysets: "


@guard(
    "chosen.for_the_append",
    Chosen,
    cite=STICKY + "the sequencer chooses a copyset for each record",
    needs=(Append,),
    promise="sequencers",
)
def append_is_placed_once(log: Log, chosen: TraceEvent) -> Against | None:
    """A sequencer says once where an append is to go, when it has just given it an LSN."""
    epoch = log.epoch(chosen.epoch)
    if chosen.esn == epoch.last_esn and chosen.esn not in epoch.chosen:
        return None
    return Against(f"ESN {epoch.last_esn}, the last that was given out", f"ESN {chosen.esn}")


@guard(
    "chosen.block_goes_on",
    Chosen,
    cite=STICKY + "the same copyset for many records, as long as the writes on it complete successfully",
    needs=(Append,),
    promise="placement",
)
def block_goes_on_while_it_can(log: Log, chosen: TraceEvent) -> Against | None:
    """A block goes on unless it is full or one of its nodes is to be avoided; then the append begins another one."""
    if chosen.room != ROOM:
        return Against(f"room for {ROOM}", f"room for {chosen.room}")
    if chosen.avoided is None or chosen.copyset is None:
        return None
    block = log.epoch(chosen.epoch).block
    if block is None or not goes_on(block, chosen.esn, chosen.avoided):
        return None if chosen.block == chosen.esn else Against(f"block {chosen.esn}", f"block {chosen.block}")
    if block == (chosen.block, chosen.copyset):
        return None
    return Against(f"block {block.first} on {sorted(block.copyset)}", f"{chosen.block} on {sorted(chosen.copyset)}")


@guard(
    "chosen.copyset_is_valid",
    Chosen,
    cite="LogDevice, Read path, Copyset: its members satisfy the replication property",
    needs=(NewEpoch,),
    promise="placement",
)
def chosen_nodes_can_replicate(log: Log, chosen: TraceEvent) -> Against | None:
    """An append goes to no more nodes of its epoch than can hold it, and avoids who is to be avoided if others can."""
    epoch = log.epoch(chosen.epoch)
    if epoch.quorums is None or epoch.nodeset is None or chosen.copyset is None or chosen.avoided is None:
        return None
    rest = epoch.nodeset - chosen.avoided
    nodes = rest if epoch.quorums.can_replicate(rest) else epoch.nodeset
    if is_copyset(log, epoch.quorums, chosen.copyset) and chosen.copyset <= nodes:
        return None
    return Against(f"{epoch.quorums.required} of nodes {sorted(nodes)}", f"{sorted(chosen.copyset)}")


@guard(
    "store.where_chosen",
    Store,
    cite=STICKY + "records of a block lie on one copyset",
    needs=(Chosen,),
    promise="placement",
)
def first_wave_goes_where_chosen(log: Log, store: TraceEvent) -> Against | None:
    """The first wave of an append goes where its sequencer said."""
    copyset = log.epoch(store.epoch).chosen.get(store.esn)
    if store.wave != 1 or store.recovery != 0 or not differ(copyset, store.copyset):
        return None
    return Against(f"copyset {sorted(copyset or ())}", f"{sorted(store.copyset)}")


@change(Chosen)
def is_chosen(log: Log, chosen: TraceEvent) -> None:
    """The append's first wave has its copyset, and its block, too."""
    epoch = log.epoch(chosen.epoch)
    epoch.chosen[chosen.esn] = chosen.copyset
    epoch.block = Block(chosen.block, chosen.copyset)
