"""Mutants of the ledger machine and its checker: each takes one decision wrongly, and a rule notices it."""

from __future__ import annotations

from typing import Final

from reference_impl.ledger.mutants import checks, recoveries, repairs, writers
from reference_impl.mutants import UnknownMutant
from reference_impl.mutants.registry import Mutant, mutants_of
from spec.near import did_you_mean

__all__ = ["LEDGER_MUTANTS", "Mutant", "mutant_named"]

LEDGER_MUTANTS: Final[dict[str, Mutant]] = {
    mutant.name: mutant for module in (writers, recoveries, repairs, checks) for mutant in mutants_of(module)
}
"""All mutants by name, in the order of a ledger's life."""


def mutant_named(name: str) -> Mutant:
    """The mutant of a name.

    Raises:
        UnknownMutant: there is none.
    """
    if name not in LEDGER_MUTANTS:
        raise UnknownMutant(f"no mutant of ledgers is called {name!r}: {did_you_mean(name, LEDGER_MUTANTS)}")
    return LEDGER_MUTANTS[name]
