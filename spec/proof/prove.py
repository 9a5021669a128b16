"""The proofs to run: each with an example that it is not empty, and a counter-model for each hypothesis left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from spec.proof.each_scope import scope_by_scope
from spec.proof.quorum import SOUND, THEOREMS, UNBOUNDED
from spec.proof.small import SmallWorld
from spec.proof.theorems import CounterModel, Proof, Theorem
from spec.proof.unbounded import Cardinalities

MOST_NODES: Final = 6
"""Topologies of up to this many nodes are proved all at once."""

FEW_NODES: Final = 4
"""Examples and counter-models are looked for among topologies that a person can take in."""


@dataclass(frozen=True)
class Checked:
    """A proof, and what shows that it says something.

    Attributes:
        example: values for which the hypotheses hold, and the claim too; None if there are none.
        spared: for each hypothesis, values that refute the theorem without it; None where none were found, so that
            the hypothesis is not needed.
    """

    proof: Proof
    example: CounterModel | None
    spared: Mapping[str, CounterModel | None]

    @property
    def complaints(self) -> list[str]:
        """What is wrong with the proof or its statement, in words; nothing, if all is well."""
        theorem = self.proof.theorem
        found = [] if self.proof.as_expected else [f"{theorem.name}: {self.proof.status.value}"]
        if self.proof.counter is not None and not self.proof.counter.replays(theorem):
            found.append(f"{theorem.name}: the counter-model does not replay")
        if self.example is None:
            found.append(f"{theorem.name}: no values satisfy its hypotheses")
        for name, counter in self.spared.items():
            if counter is None:
                found.append(f"{theorem.name}: it does not need that {name}")
            elif not counter.replays(theorem.without(name)):
                found.append(f"{theorem.name}: the counter-model without {name!r} does not replay")
        return found


def check(theorem: Theorem, nodes: int = MOST_NODES, scopes: tuple[str, ...] = ("rack", "region")) -> Checked:
    """Prove a theorem for every topology up to a size, and show that nothing in its statement is idle.

    A topology with fewer nodes is one whose other nodes are in no set, so the largest size speaks for all.
    """
    proof = SmallWorld(nodes, scopes).prove(theorem)
    few = min(nodes, FEW_NODES)
    example = SmallWorld(few, scopes).example(theorem)
    names = () if theorem.refutable else theorem.spare
    spared = {name: SmallWorld(few, scopes).prove(theorem.without(name)).counter for name in names}
    return Checked(proof, example, spared)


def quorum_proofs() -> Iterator[Proof]:
    """All proofs about quorums: small topologies, any number of nodes, and each scope by itself."""
    for theorem in THEOREMS:
        yield SmallWorld(MOST_NODES).prove(theorem)
    for theorem in UNBOUNDED:
        yield Cardinalities(theorem).prove()
    yield from scope_by_scope(SOUND)
