"""What the numbers of some fields mean."""

from __future__ import annotations

from typing import Final

ADD: Final = 0
RECOVERY: Final = 1
REPLICATION: Final = 2

PURPOSES: Final = {"add": ADD, "recovery": RECOVERY, "replication": REPLICATION}
"""Why a copy is stored: a writer adds, a recovery adds again what it read, a replicator restores what was lost."""

OPEN: Final = 1
IN_RECOVERY: Final = 2
CLOSED: Final = 3
DELETED: Final = 4

STATES: Final = {"open": OPEN, "in_recovery": IN_RECOVERY, "closed": CLOSED, "deleted": DELETED}
"""States of a ledger, as its metadata says them: DataFormats.proto; and that there is no such ledger any more."""

NO_REPLICA: Final = 0
BELOW_ACK_QUORUM: Final = 1
BELOW_WRITE_QUORUM: Final = 2
MISPLACED: Final = 3
MARKED_TOO_LONG: Final = 4
SILENT_BOOKIE: Final = 5

CATEGORIES: Final = {
    "no_replica": NO_REPLICA,
    "below_ack_quorum": BELOW_ACK_QUORUM,
    "below_write_quorum": BELOW_WRITE_QUORUM,
    "misplaced": MISPLACED,
    "marked_too_long": MARKED_TOO_LONG,
    "silent_bookie": SILENT_BOOKIE,
}
"""What a checker reports, in the order of ``spec.ledger.violations``."""

FAIL: Final = 1
MEETS_SOFT: Final = 3
MEETS_STRICT: Final = 5

ADHERENCE: Final = {"fail": FAIL, "meets_soft": MEETS_SOFT, "meets_strict": MEETS_STRICT}
"""How an ensemble meets a placement policy: client/EnsemblePlacementPolicy.java, PlacementPolicyAdherence."""

SOUND: Final = 0
SKIPPED: Final = 1
REPORTED: Final = 2
UNDECIDED: Final = 3

ENDINGS: Final = {"sound": SOUND, "skipped": SKIPPED, "reported": REPORTED, "undecided": UNDECIDED}
"""How the check of one ledger ends: sound, skipped (marked, not closed, gone), reported, or not to be decided."""
