"""Mutants of what is lacking: copies that are damaged or lost, and single copies that nobody was to send."""

from __future__ import annotations

from typing import Final

from reference_impl.kernel.faults import Rate
from reference_impl.kernel.weather import Weather
from reference_impl.log.context import COMPRESSED, REGIONS
from reference_impl.log.copies import Copy
from reference_impl.log.frames import CHECKSUM, WORD, expands
from reference_impl.log.serving.catching_up import lacking
from reference_impl.log.stream.inputs import Batch, GapReason, Input
from reference_impl.log.stream.machine import Did, step
from reference_impl.log.stream.state import Stream
from reference_impl.mutants.deliveries import SINGLE
from reference_impl.mutants.registry import Setting, mutant, setting
from reference_impl.plan import MILLISECOND, TOPOLOGIES, Faults

DAMAGE: Final = Faults(
    Weather(slow=0.05, drop=0.02, duplicate=0.02),
    {
        "checksum": Rate(MILLISECOND, 2 * MILLISECOND, 6 * MILLISECOND),
        "slow": Rate(6 * MILLISECOND, 3 * MILLISECOND, 9 * MILLISECOND),
        "crash": Rate(8 * MILLISECOND, 2 * MILLISECOND, 7 * MILLISECOND),
        "reactivate": Rate(20 * MILLISECOND),
    },
)
"""Copies cannot be read, and those who have others are slow."""


def _damaged(variant: str, words: str) -> Setting:
    words = f"many copies on three nodes are damaged for a while; {words}"
    return setting(words, variants=(variant,), faults=DAMAGE, topology=TOPOLOGIES["flat3"], replication={"node": 2})


IN_REGIONS: Final = _damaged(REGIONS, "nodes know in which region they lack some")
IN_FRAMES: Final = _damaged(COMPRESSED, "records are sent compressed")


@mutant(lacking, where=IN_REGIONS)
def forgets_what_it_lost(found: list[tuple[int, Copy]]) -> tuple[int, int] | None:  # noqa: ARG001 - as the decision
    """A node that may lack records in a region does not say so.

    LogDevice, common/protocol/GAP_Message.h, UNDER_REPLICATED: its silence would prove a loss, and proves nothing.
    """
    return None


@mutant(step, where=IN_REGIONS)
def takes_lacking_for_nothing(stream: Stream, message: Input) -> Did:
    """A reader counts a node that may lack records among those who have none.

    LogDevice, common/client_read_stream/ClientReadStream.cpp, checkFMajority: whoever may lack records proves nothing.
    """
    if isinstance(message, Batch) and message.gap.reason is GapReason.UNDER_REPLICATED:
        records = tuple(record._replace(under_replicated=False) for record in message.records)
        message = message._replace(records=records, gap=message.gap._replace(reason=GapReason.NO_RECORDS))
    return step(stream, message)


@mutant(expands, where=IN_FRAMES)
def expands_without_checksum(frame: bytes) -> int | None:
    """A reader expands what it was sent without a look at the checksum.

    LogDevice, Read path, Compression: what comes out of a damaged copy is not what was written.
    """
    return int.from_bytes(frame[-WORD - CHECKSUM : -CHECKSUM], "little", signed=True)


@mutant(step, where=IN_FRAMES)
def takes_damaged_for_nothing(stream: Stream, message: Input) -> Did:
    """A reader drops records that it cannot expand, as if the node had had none.

    LogDevice, common/client_read_stream/ClientReadStream.cpp, onDataRecord: that node may lack records there.
    """
    if isinstance(message, Batch):
        message = message._replace(records=tuple(record for record in message.records if not record.damaged))
    return step(stream, message)


@mutant(step, where=SINGLE)
def loss_told_in_single_copy(stream: Stream, message: Input) -> Did:
    """A reader reports as lost what those who were to send it have not sent, and does not ask the others.

    LogDevice, Read path, All Send All: the client never delivers a data loss gap while in SCD mode, by default.
    """
    eager = stream.around.settings._replace(efficiency=True)
    return step(stream._replace(around=stream.around._replace(settings=eager)), message)
