"""Counter-models: plain values that refute a theorem, for people to read and for the meaning of terms to judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby

from spec.language.meaning import Value
from spec.language.parameters import Parameters
from spec.proof.theorems import Theorem


@dataclass(frozen=True)
class CounterModel:
    """A topology and a value for each column, which satisfy every hypothesis and not the claim."""

    parameters: Parameters
    values: Mapping[str, Value]

    def replays(self, theorem: Theorem) -> bool:
        """By the meaning of the terms, every hypothesis is true of these values and the claim is false."""
        return theorem.is_refuted_by(self.parameters, self.values)

    def __str__(self) -> str:
        """How many nodes and copies there are, who shares a domain with whom, and who is in which set."""
        nodes = self.parameters.size
        sets = {name: value for name, value in self.values.items() if isinstance(value, frozenset)}
        rest = [f"{_spelt(name)} {_told(value)}" for name, value in self.values.items() if name not in sets]
        located = [
            f"{_spelt(scope)}s {' '.join(map(_told, domains)) or 'none'}"
            for scope, domains in self.parameters.domains.items()
            if scope != "node" or any(len(domain) > 1 for domain in domains)
        ]
        largest_first = sorted(sets.items(), key=lambda item: (-len(item[1]), item[0]))
        members = [f"{_spelt(name)} {_told(value)}" for name, value in largest_first]
        return "\n".join([", ".join([f"{nodes} node{'s' * (nodes != 1)}", *rest]), *located, ", ".join(members)])


def _spelt(name: str) -> str:
    return name.replace("_", " ")


def _told(value: Value) -> str:
    match value:
        case frozenset():
            return "{" + ", ".join(_runs(sorted(value))) + "}"
        case Mapping():
            return ", ".join(f"{scope} {copies}" for scope, copies in value.items()) or "none"
        case bool():
            return "yes" if value else "no"
        case _:
            return str(value)


def _runs(nodes: list[int]) -> list[str]:
    """Three or more nodes in a row are told by the first and the last."""
    found: list[str] = []
    for _, run in groupby(enumerate(nodes), lambda pair: pair[1] - pair[0]):
        numbers = [str(node) for _, node in run]
        found += [f"{numbers[0]}-{numbers[-1]}"] if numbers[2:] else numbers
    return found
