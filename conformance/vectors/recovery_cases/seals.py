"""Cases of seals: who is preempted by what, and what a sealed shard tells of its epochs.

LogDevice, server/test/SealStorageTaskTest.cpp.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from conformance.vectors.differences import told_lsns
from conformance.vectors.fields import Fields
from conformance.vectors.recovery_cases.findings import Findings
from reference_impl.log.lsn import ESN_MAX
from reference_impl.log.repair.seals import EpochInfo, Seals, epoch_infos, seal, seal_for_purging, tail_lsns

OUTCOME: Final = ("status", "preempted_by_epoch", "normal_seal_after", "soft_seal_after")
INFO: Final = ("per_epoch", "epochs_not_listed", "tail_records")

RELEASED: Final = re.compile(r"releas|mutable")
"""Part of the name under which a case tells what the shard was told of its epochs."""

SEALING: Final = re.compile(r"(recovery|purge) seal\((\d{1,10})\)(?: from epoch (\d{1,10}))?")
"""A seal in words: who seals, up to which epoch, and from which on it wants to know."""

ANSWER: Final = re.compile(r"(OK|PREEMPTED)(?: (with|without) epoch info(?: \{(.*)\})?)?")
TOLD: Final = re.compile(r"(\d{1,10}): lng (\d{1,10}), max (\d{1,10})")


def _seals(fields: Fields) -> Seals:
    return Seals(fields.number("normal_seal_before", 0), fields.number("soft_seal_before", 0))


def seal_findings(fields: Fields) -> Findings:
    """What a case of one seal expects otherwise."""
    found, expected = Findings(), fields.below("expected")
    by, after = seal(_seals(fields), fields.number("seal_request_epoch"))
    seen = dict(zip(OUTCOME, ("PREEMPTED" if by else "OK", by or None, after.normal, after.soft), strict=True))
    for name in OUTCOME:
        if expected.has(name):
            found.compare(name, expected.raw(name), seen[name])
    return found


def epoch_info_findings(fields: Fields) -> Findings:
    """What a case of a sealed shard's answer expects otherwise; with words for seals, of each of their answers."""
    found, expected = Findings(), fields.below("expected")
    known_good = {
        record.lsn("lsn"): record.number("last_known_good", 0, most=ESN_MAX)
        for record in fields.every("records", Fields.below)
    }
    words = [name for name in expected if SEALING.fullmatch(name)]
    for name in words:
        _compare_answer(name, expected, known_good, _seals(fields), found)
    if "per_epoch" in expected or "tail_records" in expected:
        clean, upto = fields.number("last_clean_epoch", 0), fields.number("seal_epoch")
        infos = epoch_infos(known_good, clean, upto, _released(fields))
        _compare_infos(expected, infos, found)
    return found


def _released(fields: Fields) -> dict[int, int]:
    """What the shard was told of each epoch apart from any copy: the metadata of an epoch that may still change."""
    name = next((name for name in fields if RELEASED.search(name) and name in fields), "per_epoch_released")
    told = fields.below(name, {})
    return {epoch: _known_good(told, said) for epoch, said in told.numbered().items()}


def _known_good(told: Fields, name: str) -> int:
    """An ESN, or metadata with one."""
    if not isinstance(told.raw(name), dict):
        return told.number(name, most=ESN_MAX)
    metadata = told.below(name)
    return metadata.number("lng" if "lng" in metadata else "last_known_good", most=ESN_MAX)


def _compare_infos(expected: Fields, infos: Mapping[int, EpochInfo], found: Findings) -> None:
    """What is told of every epoch; a shard that purges is told of no tails, and then none are listed."""
    if "per_epoch" in expected:
        _compare_epochs(expected.below("per_epoch"), infos, found)
    if "epochs_not_listed" in expected:
        rest = {name: expected.below("epochs_not_listed").raw(name) for name in expected.below("epochs_not_listed")}
        found.compare("epochs not listed", rest, {"lng": EpochInfo().known_good, "max_seen_esn": EpochInfo().last})
    if "tail_records" in expected:
        tails = expected.every("tail_records", Fields.lsn)
        found.compare("tail_records", told_lsns(tails), told_lsns(tail_lsns(infos)))


def _compare_epochs(listed: Fields, infos: Mapping[int, EpochInfo], found: Findings) -> None:
    """Every epoch that is told of is expected, and the other way round."""
    wanted = listed.numbered()
    found.compare("epochs told", sorted(wanted), sorted(infos))
    for epoch, name in wanted.items():
        told, seen = listed.below(name), infos.get(epoch, EpochInfo())
        found.compare(f"epoch {epoch} lng", told.number("lng"), seen.known_good)
        found.compare(f"epoch {epoch} max_seen_esn", told.number("max_seen_esn"), seen.last)


def _compare_answer(name: str, expected: Fields, known_good: Mapping[int, int], seals: Seals, found: Findings) -> None:
    """A recovery that is preempted learns nothing; a shard that purges needs to know all the same."""
    sealing, answer = SEALING.fullmatch(name), ANSWER.fullmatch(expected.text(name))
    if not sealing or not answer:
        found.add(f"{name}: no such answer as {expected.raw(name)!r:.80}")
        return
    is_recovery, epoch, clean = sealing[1] == "recovery", int(sealing[2]), int(sealing[3] or 0)
    by, _ = seal(seals, epoch) if is_recovery else seal_for_purging(seals, epoch)
    found.compare(name, answer[1], "PREEMPTED" if by else "OK")
    if not answer[2]:
        return
    found.compare(f"{name} tells", answer[2] == "with", not (by and is_recovery))
    if answer[3] is not None:
        infos = epoch_infos(known_good, clean, epoch)
        told = {info: (good, last) for info, good, last in (map(int, one) for one in TOLD.findall(answer[3]))}
        found.compare(f"{name} tells of", told, {info: seen[:2] for info, seen in infos.items()})
