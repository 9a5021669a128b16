"""The proofs to run: each with an example that it is not empty, and a counter-model for each hypothesis left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Final

from spec.proof.countermodels import CounterModel
from spec.proof.each_scope import prove_scope_by_scope
from spec.proof.proofs import Proof
from spec.proof.quorum import copysets, ledger, limits, majority, nodesets, recovery, size, status
from spec.proof.small import SmallWorld, prove_for_few, smallest_counter_model
from spec.proof.theorems import Theorem
from spec.proof.unbounded import prove_for_any_number

CHAPTERS: Final[dict[str, ModuleType]] = {
    "How many answers": size,
    "f-majority": majority,
    "Copysets": copysets,
    "Limits": limits,
    "Authoritative status": status,
    "Recovery": recovery,
    "Nodesets": nodesets,
    "Ledgers": ledger,
}
"""The modules of theorems, in reading order."""

TWICE: Final = (majority.SOUND, majority.TIGHT)
"""Proved for any number of nodes, and again for every small topology by another encoding."""

FEW_NODES: Final = 4
"""Examples are looked for among topologies that a person can take in."""


def all_theorems() -> tuple[Theorem, ...]:
    """Every theorem about quorums, in reading order."""
    return tuple(found for module in CHAPTERS.values() for found in vars(module).values() if isinstance(found, Theorem))


def proofs_of(theorem: Theorem) -> Iterator[Proof]:
    """The smallest counter-model of what does not follow; of what does, the widest proof there is."""
    if theorem.refutable:
        yield smallest_counter_model(theorem)
        return
    yield prove_for_few(theorem) if theorem.choice else prove_for_any_number(theorem)
    if theorem in TWICE:
        yield prove_for_few(theorem)
    if theorem is majority.SOUND:
        yield from prove_scope_by_scope(theorem)


def quorum_proofs() -> Iterator[Proof]:
    """All proofs about quorums."""
    for theorem in all_theorems():
        yield from proofs_of(theorem)


@dataclass(frozen=True)
class Checked:
    """The proofs of a theorem, and what shows that it says something.

    Attributes:
        example: values for which the hypotheses hold, and the claim too; None if there are none.
        spared: for each hypothesis, the smallest values that refute the theorem without it; None where none were
            found, so that the hypothesis is not needed.
    """

    theorem: Theorem
    proofs: tuple[Proof, ...]
    example: CounterModel | None
    spared: Mapping[str, CounterModel | None]

    @property
    def complaints(self) -> list[str]:
        """What is wrong with the proofs or the statement, in words; nothing, if all is well."""
        name = self.theorem.name
        found = [f"{name}: {proof.status.value}, {proof.scope}" for proof in self.proofs if not proof.as_expected]
        if self.example is None:
            found.append(f"{name}: no values satisfy its hypotheses")
        for hypothesis, counter in self.spared.items():
            if counter is None:
                found.append(f"{name}: it does not need that {hypothesis}")
            elif not counter.replays(self.theorem.without(hypothesis)):
                found.append(f"{name}: the counter-model without {hypothesis!r} does not replay")
        return found


def check(theorem: Theorem) -> Checked:
    """Prove a theorem, and show that nothing in its statement is idle."""
    names = () if theorem.refutable else theorem.spare
    return Checked(
        theorem,
        tuple(proofs_of(theorem)),
        SmallWorld(theorem, max(FEW_NODES, theorem.nodes)).example(),
        {name: smallest_counter_model(theorem.without(name)).counter for name in names},
    )
