"""Cases of epoch recovery metadata: shards answer one after the other, until it is settled what became of each epoch.

LogDevice, common/test/GetEpochRecoveryMetadataRequestTest.cpp.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final

from conformance.vectors.fields import Fields
from conformance.vectors.recovery_cases.findings import Findings
from reference_impl.log.repair.metadata import Known, Reply, gathered
from spec.log.status import Status

SHARD: Final = re.compile(r"N(\d{1,5})")
SHARD_NAME: Final = re.compile(r"N\d{1,5}")
ALL: Final = frozenset({"all", "every", "each", "everyone", "others", "rest", "remaining"})
"""Words for everyone who has not answered yet, but for those that are named beside them."""

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


ANSWERS: Final[Mapping[str, Known | Unsettled]] = {
    "OK": Known.OK,
    "EMPTY": Known.EMPTY,
    **{said.value: said for said in Unsettled},
}
"""What a shard may say of all epochs at once."""


def metadata_findings(fields: Fields) -> Findings:
    """What a case expects otherwise; an epoch that is not settled yet is of no status."""
    found, count = Findings(), fields.number("nodes", most=NODES_MAX)
    epochs = fields.every("epochs", Fields.number)
    said = fields.below("statuses", {})
    statuses = {_shard(name, count, said): said.one_of(name, Status) for name in said}
    replies: list[Reply] = []
    for pair in fields.every("replies", lambda inside, place: inside.members(place, 2)):
        who, what = pair
        answered = {reply.shard for reply in replies}
        replies += [_reply(shard, pair, what, epochs) for shard in _shards(pair.text(who), count, answered, pair)]
    enough = fields.flag("single_empty_erm", default=True)
    settled = gathered(epochs, range(count), statuses, replies, is_single_empty_enough=enough) or {}
    expected = fields.below("expected")
    wanted = expected.numbered()
    for epoch in sorted({*wanted, *settled}):
        seen = settled.get(epoch)
        found.compare(f"epoch {epoch}", expected.raw(wanted.get(epoch, "")), seen.value if seen else None)
    return found


def _shard(name: str, count: int, fields: Fields) -> int:
    shard = SHARD.search(name)
    if not shard or int(shard[1]) >= count:
        raise fields.refuse_name("no such shard", name, f"one of N0 to N{count - 1}")
    return int(shard[1])


def _shards(who: str, count: int, answered: set[int], fields: Fields) -> list[int]:
    """Shards by their names, or any of those that have not answered: as many as the words say."""
    words = set(who.lower().split())
    named = [_shard(shard, count, fields) for shard in SHARD_NAME.findall(who)]
    silent = [shard for shard in range(count) if shard not in answered]
    if words & ALL:
        return [shard for shard in silent if shard not in named]
    return named or silent[: max(COUNTS.get(word, 1) for word in words | {""})]


def _reply(shard: int, pair: Fields, name: str, epochs: Iterable[int]) -> Reply:
    """One answer for all epochs, or one for each of some."""
    if isinstance(pair.raw(name), dict):
        said = pair.below(name)
        return Reply(shard, {epoch: said.one_of(told, Known) for epoch, told in said.numbered().items()})
    answer = pair.choice(name, ANSWERS)
    if isinstance(answer, Known):
        return Reply(shard, dict.fromkeys(epochs, answer))
    return Reply(shard, {}, is_final=answer is not Unsettled.AGAIN)
