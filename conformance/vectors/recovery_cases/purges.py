"""Cases of purging: what a shard that missed a recovery asks others, deletes and keeps.

LogDevice, server/test/PurgeSingleEpochTest.cpp and server/test/PurgeUncleanEpochsTest.cpp.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from conformance.vectors.differences import told_lsns
from conformance.vectors.fields import Fields
from conformance.vectors.recovery_cases.findings import Findings
from reference_impl.log.lsn import ESN_MAX
from reference_impl.log.repair.metadata import Known
from reference_impl.log.repair.purging import Purge, cleaned, deleted, is_purged, purge_of, ranges_to_ask

EPOCHS_MAX: Final = 1 << 16

PURGED: Final = ("get_erm_requests", "single_epoch_purges_for_reply", "status", "last_clean_epoch")

EPOCHS: Final = re.compile(r"(\d{1,10})(?:\.\.(\d{1,10}))?")
"""One epoch, or a range of them."""

REPLIED: Final = re.compile(r"(?:(even|odd) (?:epochs )?)?(OK|EMPTY|UNKNOWN)\b(.*)")
"""Which epochs of a range, what others said of them, and in words what follows."""


def single_findings(fields: Fields) -> Findings:
    """What a case of one epoch's purge expects otherwise."""
    found, known = Findings(), fields.one_of("get_erm_status", Known)
    recovered = fields.below("erm").number("lng", most=ESN_MAX) if known is Known.OK else 0
    held = fields.number("local_lng", most=ESN_MAX), fields.number("local_last_record", most=ESN_MAX)
    purge = purge_of(known, recovered, *held)
    found.compare("tasks", list(fields.every("expected_tasks", Fields.text)), list(purge.tasks))
    if fields.has("delete_esn_range_by_rule"):
        bounds = None if purge.delete is None else list(purge.delete)
        found.compare("deleted ESNs", fields.raw("delete_esn_range_by_rule"), bounds)
    return found


def delete_findings(fields: Fields) -> Findings:
    """What a case of deleting a range expects otherwise."""
    found, bounds = Findings(), fields.members("delete_esn", 2)
    first, last = (bounds.number(end, most=ESN_MAX) for end in bounds)
    before = fields.every("before", Fields.lsn)
    gone = deleted(before, fields.number("epoch", most=ESN_MAX), Purge((first, last)))
    after = [lsn for lsn in before if lsn not in gone]
    found.compare("LSNs left", told_lsns(fields.every("expected_after", Fields.lsn)), told_lsns(after))
    return found


def unclean_findings(fields: Fields) -> Findings:
    """What a case of several epochs expects otherwise: whom a shard asks for, and which epochs it purges then.

    Without epochs from which nodesets hold, as of a metadata log, one nodeset holds for all.
    """
    found, expected = Findings(), fields.below("expected")
    held = frozenset(fields.every("locally_nonempty_epochs", Fields.number))
    since = list(fields.every("epoch_metadata_since", Fields.number, ())) or [0]
    if sorted(since) != since:
        raise fields.refuse_part("the case contradicts itself", "epoch_metadata_since", "epochs, the oldest first")
    purge_to, clean = fields.number("purge_to"), fields.number("local_lce", 0)
    written = cleaned(clean, fields.number("new_lce", purge_to))
    ended = {
        "status": "UPTODATE" if written is None else "OK",
        "last_clean_epoch": clean if written is None else written,
    }
    until, for_empty = fields.number("metadata_until", purge_to), fields.flag("get_erm_for_empty_epoch", default=True)
    asked = ranges_to_ask(clean, purge_to, since, until, held, asks_for_empty=for_empty)
    if "get_erm_requests" in expected:
        found.compare("epochs asked for", expected.raw("get_erm_requests"), [list(one) for one in asked])
    for name, seen in ended.items():
        if name in expected:
            found.compare(name, expected.raw(name), seen)
    for name in expected.below("single_epoch_purges_for_reply", {}):
        _compare_purges(name, expected.below("single_epoch_purges_for_reply"), held, found)
    return found


def _compare_purges(name: str, told: Fields, held: frozenset[int], found: Findings) -> None:
    """For each clause of what is told of some epochs: those that are purged, and no others."""
    bounds = EPOCHS.fullmatch(name)
    if not bounds or int(bounds[2] or bounds[1]) - int(bounds[1]) > EPOCHS_MAX:
        raise told.refuse_name("no such epochs", name, f"an epoch, or a range as 6..9, at most {EPOCHS_MAX}")
    epochs = range(int(bounds[1]), int(bounds[2] or bounds[1]) + 1)
    for these, known, wanted in _clauses(told, name, epochs, found):
        seen = [epoch for epoch in these if is_purged(known, is_held=epoch in held)]
        found.compare(f"epochs purged of {name}", wanted, seen)


def _clauses(told: Fields, name: str, epochs: range, found: Findings) -> Iterator[tuple[list[int], Known, list[int]]]:
    """The epochs that a clause is about, what others said of them, and which are purged by it."""
    for clause in told.text(name).split(";"):
        replied = REPLIED.fullmatch(clause.strip())
        if not replied or clause.rstrip().rpartition(" ")[2] not in ("purge", "none"):
            found.add(f"epochs {name}: no such answer as {clause!r:.80}")
            continue
        these = [epoch for epoch in epochs if replied[1] is None or (epoch % 2 == 0) is (replied[1] == "even")]
        only = re.search(r"only ([\d, and]+)", replied[3])
        wanted = [int(one) for one in re.findall(r"\d{1,10}", only[1])] if only else these
        yield these, Known(replied[2]), wanted if clause.rstrip().endswith("purge") else []
