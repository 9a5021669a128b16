"""Cases of epoch recovery metadata: shards answer one after the other, until it is settled what became of each epoch.

LogDevice, common/test/GetEpochRecoveryMetadataRequestTest.cpp.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from conformance.vectors.recovery_cases.fields import Fields
from conformance.vectors.recovery_cases.findings import Findings
from reference_impl.log.repair.metadata import Known, Reply, gathered
from spec.log.status import Status

SHARD: Final = re.compile(r"N(\d{1,5})")
NODES_MAX: Final = 1 << 12

COUNTS: Final = {"two": 2, "three": 3, "four": 4, "five": 5}
"""How many shards words speak of; others speak of one, or of all."""


class Unsettled(StrEnum):
    """Answers that settle nothing: LogDevice, common/protocol/GET_EPOCH_RECOVERY_METADATA_REPLY_Message.h."""

    NOTREADY = "NOTREADY"
    AGAIN = "AGAIN"
    REBUILDING = "REBUILDING"
    FAILED = "FAILED"
    NOTSTORAGE = "NOTSTORAGE"


def metadata_findings(fields: Fields) -> Findings:
    """What a case expects otherwise; an epoch that is not settled yet is of no status."""
    found, count = Findings(), fields.number("nodes", most=NODES_MAX)
    epochs = [fields.whole(epoch) for epoch in fields.items("epochs")]
    statuses = {}
    for name in fields.below("statuses", {}):
        statuses[_shard(name, count, fields)] = fields.below("statuses").one_of(name, Status)
    replies: list[Reply] = []
    for pair in fields.items("replies"):
        if not isinstance(pair, list) or len(pair) != 2:  # noqa: PLR2004 - who answers, and what
            raise fields.refuse("no such reply", f"{pair!r:.80}, where a shard and its answer must be")
        answered = {reply.shard for reply in replies}
        replies += [_reply(shard, pair[1], epochs, fields) for shard in _shards(pair[0], count, answered, fields)]
    enough = fields.flag("single_empty_erm", default=True)
    settled = gathered(epochs, range(count), statuses, replies, is_single_empty_enough=enough) or {}
    wanted = fields.below("expected").numbered()
    for epoch in sorted({*wanted, *settled}):
        seen = settled.get(epoch)
        found.compare(f"epoch {epoch}", wanted.get(epoch), seen.value if seen else None)
    return found


def _shard(name: object, count: int, fields: Fields) -> int:
    shard = SHARD.search(name) if isinstance(name, str) else None
    if not shard or int(shard[1]) >= count:
        raise fields.refuse("no such shard", f"{name!r:.80}, where one of N0 to N{count - 1} must be")
    return int(shard[1])


def _shards(who: object, count: int, answered: set[int], fields: Fields) -> list[int]:
    """One shard by its name, or any of those that have not answered: as many as the words say."""
    if not isinstance(who, str) or SHARD.search(who):
        return [_shard(who, count, fields)]
    words = set(who.split())
    silent = [shard for shard in range(count) if shard not in answered]
    return silent if words & {"all", "every", "each"} else silent[: max(COUNTS.get(word, 1) for word in words | {""})]


def _reply(shard: int, said: object, epochs: list[int], fields: Fields) -> Reply:
    """One answer for all epochs, or one for each of some."""
    if isinstance(said, dict):
        each = Fields(said, fields.where).numbered()
        return Reply(shard, {epoch: fields.named(one, Known) for epoch, one in each.items()})
    if said in (Known.OK, Known.EMPTY):
        return Reply(shard, dict.fromkeys(epochs, fields.named(said, Known)))
    return Reply(shard, {}, is_final=fields.named(said, Unsettled) is not Unsettled.AGAIN)
