"""Mutants of those who write: clients, sequencers and the epoch store."""

# ruff: noqa: ARG001 - a wrong decision has the signature of the right one

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from reference_impl.kernel.faults import Rate
from reference_impl.kernel.mix import mix
from reference_impl.kernel.weather import Weather
from reference_impl.log.activation import refused_when_preempted, when_preempted
from reference_impl.log.appending import gives_out, is_for, is_repetition, next_esn, payload
from reference_impl.log.client import ends_append, promises, retry_number
from reference_impl.log.context import LogContext
from reference_impl.log.copies import Nodes
from reference_impl.log.epoch_store import EpochStore, next_epoch
from reference_impl.log.messages import AppendRequest
from reference_impl.log.placing import ROOM, Block, copyset, goes_on, placed_in
from reference_impl.log.releasing import releasable
from reference_impl.log.sequencer import Answer, Appender, Role, Sequencer, Session, Stage
from reference_impl.log.stages import counted_on, having
from reference_impl.mutants.registry import mutant, setting
from reference_impl.plan import MILLISECOND, Faults

STUCK_AT = 3
"""The epoch, and the ESN of every five, at which something goes wrong: late enough for the log to be in full swing."""

# -------------------------------------------------------------------------------------------- epoch store


@mutant(next_epoch)
def epoch_given_twice(store: EpochStore) -> int:
    """The epoch store gives its third epoch to every sequencer that asks from then on.

    LogDevice, common/EpochStore.h: the increment is atomic. A stale read behind a compare-and-set that is not one.
    """
    return min(store.newest + 1, STUCK_AT)


@mutant(next_epoch)
def epochs_out_of_order(store: EpochStore) -> int:
    """The epoch store gives out a later epoch before an earlier one.

    LogDevice, common/EpochStore.h: epochs increase. Two replicas of a counter, each with a block of numbers.
    """
    skipped = store.newest - 1
    return store.newest + 2 if skipped in store.nodesets or store.newest == 0 else skipped


# --------------------------------------------------------------------------------------------------- LSNs


@mutant(next_esn)
def lsn_given_twice(sequencer: Sequencer) -> int:
    """Now and then a sequencer gives the last known good ESN to another append.

    LogDevice, Read path: each slot stands for the sequence number of one record. An off-by-one in a window.
    """
    return sequencer.known_good if sequencer.known_good % 5 == STUCK_AT else sequencer.last_esn + 1


@mutant(next_esn)
def esns_swapped(sequencer: Sequencer) -> int:
    """A sequencer hands out every second ESN before the one below it.

    LogDevice, common/EpochSequencer.h: ESNs are given in order. Two threads, each with its own block of numbers.
    """
    skipped = sequencer.last_esn - 1
    is_free = skipped > sequencer.known_good and skipped not in sequencer.window
    return skipped if is_free and sequencer.last_esn % 2 == 0 else sequencer.last_esn + 2 - sequencer.last_esn % 2


def takes_any_epoch(sequencer: Sequencer, request: AppendRequest) -> bool:
    """Appends are taken whatever epoch their client believes in."""
    return True


@mutant(when_preempted, is_for.otherwise(takes_any_epoch))
def preempted_takes_new_epoch(sequencer: Sequencer, seal: int) -> Sequencer:
    """A sequencer that learns of a later one goes on under the later one's epoch.

    LogDevice, Recovery, Sequencer activation: it requests an epoch number from the epoch store, and nowhere else.
    """
    nodesets = {**sequencer.nodesets, seal + 1: sequencer.nodesets[sequencer.epoch]}
    return Sequencer(sequencer.log, sequencer.node, Role.ACTIVE, seal + 1, nodesets)


REPLACED: Final = setting(
    "sequencers let appends end before they go on in another epoch, which they do all the time",
    variants=("graceful",),
    faults=Faults(Weather(slow=0.2, drop=0.1), {"reactivate": Rate(2 * MILLISECOND)}),
)


@mutant(gives_out, where=REPLACED)
def appends_while_draining(sequencer: Sequencer) -> bool:
    """A sequencer that has asked for another epoch goes on to give out LSNs of the one that drains.

    LogDevice, common/EpochSequencer.h: of an epoch that drains nothing new is taken, or it would never be drained.
    """
    return sequencer.role is not Role.PREEMPTED


# ---------------------------------------------------------------------------------------------- copysets


def counts_on_all(context: LogContext, appender: Appender) -> Nodes:
    """An acknowledgement waits for the whole copyset, and does not ask whether that is enough."""
    return appender.copyset if appender.copyset.issubset(having(context, appender)) else Nodes()


@mutant(copyset, counted_on.otherwise(counts_on_all))
def copyset_ignores_scopes(context: LogContext, nodes: Nodes, avoid: Nodes, lsn: int, wave: int) -> Nodes:
    """A copyset has enough nodes, but is not spread over racks or regions.

    LogDevice, Read path, Gap detection algorithm: the replication property holds across all scopes.
    """
    free = sorted(nodes - avoid) if len(nodes - avoid) >= context.quorums.required else sorted(nodes)
    first = mix(lsn >> 3, wave) % (len(free) - context.quorums.required + 1)
    return frozenset(free[first : first + context.quorums.required])


@mutant(copyset)
def copyset_outside_nodeset(context: LogContext, nodes: Nodes, avoid: Nodes, lsn: int, wave: int) -> Nodes | None:
    """A copyset is chosen among all nodes of the cluster.

    LogDevice, Read path, Metadata log: readers look only at the epoch's nodeset. A stale nodeset in a selector.
    """
    return context.quorums.choose(context.quorums.everyone, avoid, lsn >> 3, wave)


STICKY: Final = setting("appends come in blocks of one copyset", variants=("sticky",))


@mutant(placed_in, where=STICKY)
def block_is_spread(context: LogContext, block: Block, nodes: Nodes, lsn: int) -> Nodes:
    """Every third append of a block goes to a copyset of its own.

    LogDevice, Read path, Sticky copysets: records of one block lie on one copyset, so that nodes filter whole blocks.
    """
    if lsn % 3:
        return block.copyset
    return context.quorums.choose(nodes, Nodes(), lsn) or block.copyset


@mutant(goes_on, where=STICKY)
def block_of_one_append(block: Block, esn: int, avoid: Nodes) -> bool:
    """Every append begins a block.

    LogDevice, Read path, Sticky copysets: the same copyset for a large number of consecutive records.
    """
    return False


@mutant(goes_on, where=STICKY)
def block_outlives_failure(block: Block, esn: int, avoid: Nodes) -> bool:
    """A block goes on although one of its nodes fails to store.

    LogDevice, Read path, Sticky copysets: as long as the writes on the copyset successfully complete.
    """
    return esn < block.first + ROOM


@mutant(payload)
def payload_changed_on_one_copy(digest: int, node: int, copyset: Nodes) -> int:
    """The last node of a copyset is sent other bytes than the rest.

    LogDevice, Read path, Copyset: copies of one record. A buffer that is reused before it is sent.
    """
    return digest ^ 1 if node == max(copyset) else digest


# --------------------------------------------------------------------------------------- acknowledgements


@mutant(counted_on)
def ack_before_stored(context: LogContext, appender: Appender) -> Nodes:
    """An append is acknowledged as soon as it has an LSN.

    Kafka, acks=0 and acks=1: the answer does not wait for the replicas.
    """
    return appender.copyset


@mutant(counted_on)
def ack_one_copy_early(context: LogContext, appender: Appender) -> Nodes:
    """An append is acknowledged while one copy is still missing.

    LogDevice, common/Appender.h: all copies of the wave. A count that starts at one.
    """
    missing = len(appender.copyset) - len(having(context, appender))
    return appender.copyset if missing <= 1 else Nodes()


@mutant(is_repetition)
def retry_appended_twice(session: Session, request: AppendRequest) -> bool:
    """The sequencer does not know a repeated request again.

    Kafka, Producer configuration, enable.idempotence: without it, retries write duplicates.
    """
    return False


def appended_again(session: Session, request: AppendRequest) -> bool:
    """A sequencer appends whatever it is asked for."""
    return False


@mutant(ends_append, is_repetition.otherwise(appended_again))
def asks_again_when_answered(lsn: int) -> bool:
    """Now and then a client goes on to ask though it was answered, and its request is appended again.

    LogDevice, Read path, How reads happen: a record has one LSN. A timer that an answer does not stop.
    """
    return lsn % 5 != STUCK_AT


@mutant(promises)
def promises_one_copy_less(context: LogContext) -> int:
    """An acknowledgement counts on one copy less than the replication property asks for.

    Kafka, min.insync.replicas: where it is below the replication factor, an answer may count on fewer copies.
    """
    return context.quorums.required - 1


PIPELINED: Final = setting("clients have several appends under way", variants=("pipelined",))

LOSSY: Final = Faults(Weather(drop=0.1), {}, 0.0)
"""Answers that clients never hear, and nothing else."""


@mutant(is_repetition, where=PIPELINED)
def only_last_append_remembered(session: Session, request: AppendRequest) -> bool:
    """Of several appends of a client, the sequencer knows only the latest again.

    Kafka, enable.idempotence: a broker remembers the last five batches of a producer, for so many may be under way.
    """
    return request.number <= session.ended or request.number == max(session.answers, default=0)


@mutant(retry_number)
def retry_with_new_number(number: int) -> int:
    """The client gives a repeated request a new number.

    As before, but the client's fault: two requests for one payload that nobody can tell from two payloads.
    """
    return number + 1


@mutant(refused_when_preempted)
def refused_after_append(sequencer: Sequencer) -> Iterable[tuple[int, Answer]]:
    """A preempted sequencer refuses for certain appends that it had given an LSN.

    LogDevice, Recovery: records that were not acknowledged may be kept. An error code that promises too much.
    """
    storing = {esn for esn, appender in sequencer.window.items() if appender.stage is Stage.STORING}
    pending = ((client, one) for client, session in sequencer.sessions.items() for one in session.answers.values())
    return [(client, answer) for client, answer in pending if answer.esn in storing]


# ------------------------------------------------------------------------------------------------ releases


@mutant(releasable)
def release_before_recovery(sequencer: Sequencer) -> int:
    """A new sequencer releases its records before earlier epochs are repaired.

    LogDevice, Recovery, Sequencer activation: it cannot release these records for delivery immediately.
    """
    return sequencer.known_good


@mutant(releasable)
def release_beyond_last_known_good(sequencer: Sequencer) -> int | None:
    """A sequencer releases every LSN that it has given out.

    LogDevice, Read path: nodes deliver records with LSNs up to the last known good pointer.
    """
    return None if sequencer.cleaned is None else sequencer.last_esn
