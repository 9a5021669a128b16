"""Mutants: named, small deviations of the machine, each of which some rule must notice.

A mutant replaces one decision of the protocol (or more, where one alone would have no effect). Its function is the
wrong decision; the first line of its docstring says what goes wrong, the rest which sentence or defect it stands for.
"""

from __future__ import annotations

from typing import Final

from reference_impl.mutants import (
    deliveries,
    greylists,
    known_bugs,
    lacks,
    metadata,
    readers,
    rebuildings,
    recoveries,
    scheduled,
    stages,
    storage_nodes,
    trims,
    write_streams,
    writers,
)
from reference_impl.mutants.registry import Mutant, mutants_of
from spec.near import did_you_mean

__all__ = ["MUTANTS", "SCHEDULED", "Mutant", "UnknownMutant", "mutant_named"]

MODULES: Final = (
    writers,
    stages,
    write_streams,
    storage_nodes,
    recoveries,
    metadata,
    readers,
    deliveries,
    greylists,
    lacks,
    trims,
    rebuildings,
    known_bugs,
)
"""The modules that define mutants."""

MUTANTS: Final[dict[str, Mutant]] = {mutant.name: mutant for module in MODULES for mutant in mutants_of(module)}
"""All mutants by name, in the order of the path that a record takes."""


SCHEDULED: Final[dict[str, Mutant]] = {mutant.name: mutant for mutant in mutants_of(scheduled)}
"""Mutants that only directed schedules show."""


class UnknownMutant(LookupError):
    """No mutant has this name; the message names near ones."""


def mutant_named(name: str) -> Mutant:
    """The mutant of a name.

    Raises:
        UnknownMutant: there is none.
    """
    if name in SCHEDULED:
        return SCHEDULED[name]
    if name not in MUTANTS:
        raise UnknownMutant(f"no mutant is called {name!r}: {did_you_mean(name, MUTANTS)}")
    return MUTANTS[name]
