"""Coverage of ledgers: no silent ack quorum.

A ledger has one write set for each first member of its ensemble. Each of them is covered by itself, so what is proved
of one write set holds of all, however many there are.
"""

from __future__ import annotations

from typing import Final

from spec.language.handles import Int
from spec.language.terms import Col, Lit
from spec.ledger.coverage import has_enough_of_the_ensemble, is_ack_quorum, is_covered, is_covered_throughout, members
from spec.log.quorum import is_f_majority
from spec.proof.quorum.columns import HEARD, ONLY_SHARDS, REPLICATION, SHARDS, just_when, meet, nodes
from spec.proof.theorems import Theorem

WRITE_SET: Final = nodes("write_set")
"""The members of the ensemble to which an entry goes."""
ENSEMBLE: Final = nodes("ensemble")
STORED: Final = nodes("stored")
"""Members that have stored the entry."""
FENCED: Final = nodes("fenced")
"""Members that take no more entries from the writer."""
FAILED: Final = nodes("failed")
ACK_QUORUM: Final = Int(Col("ack_quorum", "int"))
UP: Final = WRITE_SET - FAILED

_COVERAGE = "BookKeeper, client/RoundRobinDistributionSchedule.java, QuorumCoverageSet"
_READS = "BookKeeper, client/ReadOpBase.java: no such entry, once W - A + 1 members say so"
_FENCING = "BookKeeper, client/LedgerRecoveryOp.java: recovery fences until it has quorum coverage"
_COHORT = "BookKeeper, the TLA+ specification of its protocol: a cohort of (E - A) + 1 of the ensemble"

_COVERED: Final = {"the write set is covered": is_covered(HEARD, WRITE_SET, ACK_QUORUM).term}

SOUND: Final = Theorem(
    "ledger.coverage.sound",
    "coverage meets every ack quorum",
    "Where a write set is covered, a member that answered has stored each acknowledged entry.",
    _COVERAGE,
    _COVERED | {"the entry is acknowledged": is_ack_quorum(STORED, WRITE_SET, ACK_QUORUM).term},
    meet(HEARD, STORED).term,
)

TIGHT: Final = Theorem(
    "ledger.coverage.tight",
    "without coverage an ack quorum is silent",
    "Where a write set is not covered, its silent members could have acknowledged an entry.",
    _COVERAGE,
    {"the write set is not covered": (~is_covered(HEARD, WRITE_SET, ACK_QUORUM)).term},
    is_ack_quorum(WRITE_SET - HEARD, WRITE_SET, ACK_QUORUM).term,
)

ANSWERS: Final = Theorem(
    "ledger.coverage.answers",
    "coverage is W - A + 1 answers",
    "A write set is covered just when W - A + 1 of its members have answered.",
    _READS,
    {"those that answered belong to the write set": (HEARD <= WRITE_SET).term},
    just_when(is_covered(HEARD, WRITE_SET, ACK_QUORUM), HEARD.size() >= WRITE_SET.size() - ACK_QUORUM + 1).term,
)

NO_SUCH_ENTRY: Final = Theorem(
    "ledger.coverage.no_such_entry",
    "W - A + 1 members without an entry show that it was not acknowledged",
    "An entry that W - A + 1 members of its write set do not have has not been acknowledged.",
    _READS,
    {
        "W - A + 1 members of the write set answered": (
            (HEARD & WRITE_SET).size() >= WRITE_SET.size() - ACK_QUORUM + 1
        ).term,
        "none of them has the entry": (HEARD & STORED).is_empty().term,
    },
    (~is_ack_quorum(STORED, WRITE_SET, ACK_QUORUM)).term,
)

FENCING: Final = Theorem(
    "ledger.coverage.fencing",
    "a fence that covers a write set stops acknowledgements",
    "Where the fenced members cover a write set, the others are too few to acknowledge an entry.",
    _FENCING,
    {
        "the fenced members cover the write set": is_covered(FENCED, WRITE_SET, ACK_QUORUM).term,
        "none of them stores the entry": (FENCED & STORED).is_empty().term,
    },
    (~is_ack_quorum(STORED, WRITE_SET, ACK_QUORUM)).term,
)

FAILURES: Final = Theorem(
    "ledger.coverage.failures",
    "min(W - A, A - 1) members may fail",
    "Entries can be acknowledged, and the write set covered, just when no more than min(W - A, A - 1) of it failed.",
    f"{_COVERAGE}; AckSet: fatal when more than W - A members failed",
    {"the failed members belong to the write set": (FAILED <= WRITE_SET).term},
    just_when(
        is_ack_quorum(UP, WRITE_SET, ACK_QUORUM) & is_covered(UP, WRITE_SET, ACK_QUORUM),
        (FAILED.size() <= WRITE_SET.size() - ACK_QUORUM) & (FAILED.size() <= ACK_QUORUM - 1),
    ).term,
)

IS_AN_F_MAJORITY: Final = Theorem(
    "ledger.coverage.is_an_f_majority",
    "coverage is an f-majority of the write set",
    "A write set with ack quorum A is covered just when those that answered are an f-majority of it for A copies.",
    f"{_COVERAGE}; LogDevice, common/FailureDomainNodeSet-inl.h, isFmajority",
    {"copies are asked for of shards alone": ONLY_SHARDS.term},
    just_when(
        is_covered(HEARD, WRITE_SET, SHARDS),
        is_f_majority(HEARD & WRITE_SET, WRITE_SET, WRITE_SET, REPLICATION),
    ).term,
)

ENSEMBLE_IS_ENOUGH: Final = Theorem(
    "ledger.coverage.ensemble_is_enough",
    "E - A + 1 of the ensemble cover every write set",
    "Where all but A - 1 members of the ensemble have answered, every write set is covered.",
    _COHORT,
    {
        "the write set belongs to the ensemble": (WRITE_SET <= ENSEMBLE).term,
        "E - A + 1 of the ensemble answered": has_enough_of_the_ensemble(HEARD, ENSEMBLE, ACK_QUORUM).term,
    },
    is_covered(HEARD, WRITE_SET, ACK_QUORUM).term,
)

ALIKE_WITHOUT_STRIPES: Final = Theorem(
    "ledger.coverage.alike_without_stripes",
    "E - A + 1 of the ensemble is coverage where E = W",
    "Where entries go to the whole ensemble, it is covered just when all but A - 1 of its members have answered.",
    _COHORT,
    {
        "the write set belongs to the ensemble": (WRITE_SET <= ENSEMBLE).term,
        "it is the whole ensemble": (ENSEMBLE <= WRITE_SET).term,
    },
    just_when(is_covered(HEARD, WRITE_SET, ACK_QUORUM), has_enough_of_the_ensemble(HEARD, ENSEMBLE, ACK_QUORUM)).term,
)


def enough_of_the_ensemble(ensemble_size: int, write_quorum: int) -> Theorem:
    """That coverage takes E - A + 1 of the ensemble: so it does, just where E - W is less than E / A."""
    return Theorem(
        "ledger.coverage.enough_of_the_ensemble",
        f"coverage takes E - A + 1 of an ensemble of {ensemble_size}, of which {write_quorum} store an entry",
        "Where every write set is covered, all but A - 1 members of the ensemble have answered: this does not follow "
        "where silent members lie so far apart that no write set has A of them.",
        _COHORT,
        {
            "a write set has room for an ack quorum": (Int(Lit(write_quorum)) >= ACK_QUORUM).term,
            "every write set is covered": is_covered_throughout(HEARD, ensemble_size, write_quorum, ACK_QUORUM).term,
        },
        has_enough_of_the_ensemble(HEARD, members(range(ensemble_size)), ACK_QUORUM).term,
        refutable=True,
        nodes=ensemble_size,
    )


STRIPES_NEED_FEWER: Final = enough_of_the_ensemble(4, 2)
"""The smallest ensemble in which the two rules differ."""
