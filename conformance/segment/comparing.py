"""One script under many configurations: their histories are the same, line by line, or the first difference is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from conformance.segment.clusters import Cluster
from conformance.segment.configurations import SOUND, STANDARD, Configuration, Defects
from conformance.segment.histories import System, history
from conformance.segment.model import Model
from conformance.segment.operations import Iterate, Open, Operation, Put, Read, Script, Write
from spec.segment.iterator.choices import BY_SAMPLE, Choices

Systems = Mapping[str, Callable[[Script], System]]
"""What runs a script, by name: each makes a new system for it. The first is what the others are compared with."""

MODEL = "model"


@dataclass(frozen=True)
class Difference:
    """Where two histories part.

    Attributes:
        name: the configuration.
        line: the line of its history.
        other_name: the configuration that it is compared with.
        other_line: the line of that history.
    """

    name: str
    line: str
    other_name: str
    other_line: str

    def __str__(self) -> str:
        return f"{self.other_name}: {self.other_line}\n{self.name}: {self.line}"


def channels_of(script: Sequence[Operation]) -> tuple[str, ...]:
    """The channels that a script names, in order of their names."""
    named: set[str] = set()
    for operation in script:
        match operation:
            case Put(channel=channel) | Write(channel=channel):
                named.add(channel)
            case Open(channels=channels) | Iterate(channels=channels) | Read(channels=channels):
                named.update(channels)
    return tuple(sorted(named))


def clusters(
    configurations: Sequence[Configuration] = STANDARD,
    defects: Defects = SOUND,
    seed: int = 0,
    choices: Choices = BY_SAMPLE,
) -> Systems:
    """The model, and a cluster in each configuration."""

    def made(configuration: Configuration) -> Callable[[Script], System]:
        return lambda script: Cluster(channels_of(script), configuration, defects, seed, choices)

    return {MODEL: lambda _: Model(choices), **{one.name: made(one) for one in configurations}}


def first_difference(script: Script, systems: Systems) -> Difference | None:
    """The first line of the first history that is not as that of the first system; None if all are alike."""
    names = iter(systems)
    first = next(names)
    told = history(script, systems[first](script))
    for name in names:
        for other, line in zip(told, history(script, systems[name](script)), strict=True):
            if line != other:
                return Difference(name, line, first, other)
    return None
