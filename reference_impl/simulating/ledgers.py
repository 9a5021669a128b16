"""Simulated ledgers, as traces: who records what, and the numbers that decide a run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from reference_impl.kernel.heading import Heading
from reference_impl.ledger.mutants import LEDGER_MUTANTS
from reference_impl.ledger.plan import LedgerPlan
from reference_impl.ledger.simulate import RECOVERERS, simulate
from reference_impl.simulating.simulated import BadOption, Options, Row, Simulated
from spec.ledger.events.universes import BOOKIES
from spec.ledger.schedule import Quorums

CHANGES: Final = ("created", "ensemble_changed", "in_recovery", "closed", "restored", "deleted", "named")
BY_METADATA: Final = (*CHANGES, "registration", "marked", "unmarked")
BY_BOOKIE: Final = ("stored", "fenced", "lost")
BY_CLIENT: Final[dict[str, tuple[str, ...]]] = {
    "writer-{ledger}": ("sent", "acknowledged"),
    "reader-{ledger}": ("given", "missing"),
    "replicator-{ledger}": ("sent",),
    **{f"client-{{ledger}}-{client}": ("recovery_began", "read_back", "sent") for client in RECOVERERS},
}
ANSWERS: Final = ("mark_looked", "metadata_read", "listed", "heard", "unheard", "standing_seen")
BY_CHECKER: Final = (*ANSWERS, "placement_judged", "reported", "checked", "counted")
MEMBER_BITS: Final = 16

USUAL: Final = LedgerPlan()
SIZES: Final = USUAL.quorums._asdict()
NUMBERS: Final = {
    "seed": USUAL.seed,
    "ledgers": USUAL.ledgers,
    "bookies": USUAL.bookies,
    "racks": USUAL.racks,
    "entries": USUAL.entries,
    **SIZES,
}


def heading_of(plan: LedgerPlan) -> Heading:
    """What is fixed of a run before its first event."""
    recorders: dict[str, tuple[str, tuple[str, ...]]] = {
        "metadata": ("metadata", BY_METADATA),
        "checker": ("checker", BY_CHECKER),
    }
    recorders |= {f"bookie-{bookie}": ("bookie", BY_BOOKIE) for bookie in range(plan.bookies)}
    for ledger in range(plan.ledgers):
        recorders |= {name.format(ledger=ledger): ("client", words) for name, words in BY_CLIENT.items()}
    places = tuple((f"b{bookie}", {"rack": f"r{bookie % plan.racks}"}) for bookie in range(plan.bookies))
    system = "reference machine" + (f", mutant {plan.mutant}" if plan.mutant else "")
    return Heading(system, "ledger", MEMBER_BITS, recorders, {BOOKIES.section: places})


def run(options: Options, mutant: str) -> tuple[Heading, Iterator[Row]]:
    """A run of ledgers.

    Raises:
        BadOption: an ensemble does not fit the bookies, or the quorums not each other.
    """
    said: dict[str, Any] = {name: number for name, number in options.items() if name not in SIZES}
    try:
        plan = LedgerPlan(quorums=Quorums(*(options[name] for name in SIZES)), mutant=mutant, **said)
    except ValueError as error:
        raise BadOption(str(error)) from None
    return heading_of(plan), simulate(plan)


LEDGERS: Final = Simulated(
    family="ledger",
    what="writers, bookies, recoveries, a replicator and the checker of BP-34",
    options=NUMBERS,
    mutants={name: mutant.sentence for name, mutant in LEDGER_MUTANTS.items()},
    run=run,
)
