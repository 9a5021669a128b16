"""Deciding on a gap: whether enough shards have nothing at the cursor, and whether to wait for the others.

LogDevice, Read path, Gap detection algorithm and Authoritative Status; common/client_read_stream/ClientReadStream.cpp,
checkFMajority and shouldWaitForGracePeriod.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from reference_impl.log.stream import failover, single_copy
from reference_impl.log.stream.authorities import authority_of, is_proved_as_written
from reference_impl.log.stream.state import Stream
from spec.log.quorum import Authority
from spec.log.status import Status

ENOUGH: Final = (Authority.AUTHORITATIVE_COMPLETE, Authority.NON_AUTHORITATIVE)
"""Whoever can answer has answered."""


class Decision(Enum):
    """What follows from what the shards said of the cursor: ClientReadStream.h, ProgressDecision."""

    WAIT = "wait for more shards"
    GRACE = "wait for a grace period"
    STAND_IN = "pass over shards that may lack records, and rewind"
    ISSUE = "report a gap"


def heard(stream: Stream) -> Authority:
    """How far the shards that have nothing at the cursor can be trusted.

    Shards that may lack records confirm nothing. But where everyone has answered only with them, nobody is left to
    wait for: that is complete if the others are an f-majority, and not authoritative if they are none.
    """
    passed, lacking = stream.passed(), stream.lacking()
    trusted = authority_of(stream, passed - lacking)
    if not lacking or trusted in ENOUGH or authority_of(stream, passed) not in ENOUGH:
        return trusted
    incomplete = trusted is Authority.AUTHORITATIVE_INCOMPLETE
    return Authority.AUTHORITATIVE_COMPLETE if incomplete else Authority.NON_AUTHORITATIVE


def decide(stream: Stream, *, grace_expired: bool) -> Decision:
    """A gap needs an f-majority or everyone who can answer, and never comes while a rewind is due.

    In single copy delivery silence proves nothing, for another may have been the one to send; only efficient readers
    take it for a gap, once somebody stands in for each shard that may lack records.
    """
    if stream.rewinding:
        return Decision.WAIT
    result = heard(stream)
    if result is not Authority.NONE and stream.options.as_written and not is_proved_as_written(stream):
        return Decision.WAIT
    if stream.single_copy.active:
        if result not in ENOUGH:
            return Decision.WAIT
        if failover.lacking_unlisted(stream):
            return Decision.STAND_IN
        return Decision.ISSUE if stream.around.settings.efficiency else Decision.WAIT
    if result is Authority.NONE:
        return Decision.WAIT
    if result is Authority.AUTHORITATIVE_INCOMPLETE:
        if stream.options.require_full_read_set:
            return Decision.WAIT
        if not grace_expired and _grace_helps(stream):
            return Decision.GRACE
    return Decision.ISSUE


def _grace_helps(stream: Stream) -> bool:
    """A grace period may bring an under-replicated record, unless the cursor is trimmed or only hopeless shards miss.

    ClientReadStream.cpp, shouldWaitForGracePeriod: a shard is hopeless once it was silent for too many of them.
    """
    settings = stream.around.settings
    if not settings.grace_period or stream.known.trimmed >= stream.cursor:
        return False
    limit = settings.grace_counter_limit
    return limit < 0 or any(
        not sender.has_passed(stream.cursor)
        and sender.status is Status.FULLY_AUTHORITATIVE
        and sender.grace_counter <= limit
        for sender in stream.senders.values()
    )


def stand_in(stream: Stream) -> Stream:
    """Shards that may lack records at the cursor are passed over from the next rewind on: others send in their place.

    ClientReadStream.cpp, promoteUnderreplicatedShardsToKnownDown.
    """
    for shard in stream.lacking():
        if not stream.senders[shard].distrusted:
            stream, _ = single_copy.add_down(stream.with_sender(shard, distrusted=True), shard)
    return stream
