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

BUT: Final = re.compile(r"\b(?:but|except)\b")
"""What follows is left out of everyone."""

TOO_OLD: Final = "PROTONOSUPPORT"
"""A shard that cannot be asked for several epochs at once."""


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
    pairs = fields.every("replies", lambda inside, place: inside.members(place, 2))
    replies: list[Reply] = []
    for place, pair in enumerate(pairs):
        who, what = pair
        silent = {*range(count)} - {reply.shard for reply in replies}
        kept = len([later for later in pairs[place + 1 :] if _is_anyone(later)])
        replies += [_reply(shard, pair, what, epochs) for shard in _shards(pair.text(who), count, silent, kept, pair)]
    enough = fields.flag("single_empty_erm", default=True)
    copies = fields.number("replication_factor", count + 1, least=1)
    settled = gathered(
        epochs,
        range(count),
        statuses,
        replies,
        is_single_empty_enough=enough,
        can_replicate=lambda shards: len(shards) >= copies,
    )
    settled = settled or {}
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


def _is_anyone(pair: Fields) -> bool:
    """Whether words are about somebody who has not answered yet, whoever that is."""
    who = pair.text(next(iter(pair)))
    return not SHARD_NAME.search(who) and not ALL & {*who.lower().split()}


def _shards(who: str, count: int, silent: Iterable[int], kept: int, fields: Fields) -> list[int]:
    """Shards by their names, or some that have not answered: as many as the words say.

    Everyone is all but those that are named beside it, and but as many as words leave out or as answer later.
    """
    words = {*who.lower().split()}
    named = [_shard(shard, count, fields) for shard in SHARD_NAME.findall(who)]
    rest = sorted({*silent} - {*named})
    if words & ALL:
        left_out = 0 if named or not BUT.search(who) else _count(BUT.split(who)[-1])
        return rest[: max(0, len(rest) - max(left_out, kept))]
    return named or rest[: _count(who)]


def _count(words: str) -> int:
    return max(COUNTS.get(word, 1) for word in (*words.lower().split(), ""))


def _reply(shard: int, pair: Fields, name: str, epochs: Iterable[int]) -> Reply:
    """One answer for all epochs, or one for each of some."""
    if isinstance(pair.raw(name), dict):
        said = pair.below(name)
        return Reply(shard, {epoch: said.one_of(told, Known) for epoch, told in said.numbered().items()})
    if pair.raw(name) == TOO_OLD:
        return Reply(shard, {}, is_final=False, is_too_old=True)
    answer = pair.choice(name, ANSWERS)
    if isinstance(answer, Known):
        return Reply(shard, dict.fromkeys(epochs, answer))
    return Reply(shard, {}, is_final=answer is not Unsettled.AGAIN)
