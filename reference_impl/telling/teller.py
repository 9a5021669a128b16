"""Tellers: who tells the steps of one text, and what an implementation would declare of the recording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar, Final

from reference_impl.kernel.explorer.result import Trace
from reference_impl.kernel.heading import Heading
from reference_impl.log.lsn import ESN_BITS
from reference_impl.telling.chronicle import BOUND_NS, STEP_NS, Chronicle, Clocks, Row
from reference_impl.telling.clients import Clients
from reference_impl.telling.readers import Readers
from spec.events.universes import NODES
from spec.language.protocol.running import PackedWorld, Test, test_of
from spec.language.protocol.sorts import Family
from spec.language.protocol.states import State

EPOCH: Final = 1
"""The epoch that texts speak of."""

REFUSED: Final = 1 / 16
"""After a step, some client is refused an append with this probability."""

PAYLOADS: Final = 3
"""So many payloads there are for what is refused; others may write the same."""


@dataclass(frozen=True)
class Told:
    """A run as a trace.

    Attributes:
        heading: what its header says.
        rows: its events.
        lost: log and LSN of all that the text's reader reports as lost, rightly or not.
    """

    heading: Heading
    rows: list[Row]
    lost: frozenset[tuple[int, int]]


class Teller:
    """Tells runs of one text: a method for each action, called with the action's arguments.

    Args:
        machine: the text in its world.
        chance: of all that the environment chooses.
        are_eager: whoever may hear or read anything does so at once.
        as_decided: what a recovery decides is recorded when it does; else once it is replicated, as the reference
            machine has it, so that no later recovery can decide otherwise.

    Attributes:
        promises: what the text keeps of what systems promise, without the number of copies.
        by_controller: the kinds of event that the controller records; nodes, clients and readers likewise.
        before: the state before the step that is told; ``after`` is the state after it.
    """

    promises: ClassVar[tuple[str, ...]] = ()
    by_controller: ClassVar[tuple[str, ...]] = ()
    by_node: ClassVar[tuple[str, ...]] = ()
    by_client: ClassVar[tuple[str, ...]] = ("invoke", "ack", "fail", "indefinite")
    by_reader: ClassVar[tuple[str, ...]] = ("read", "deliver", "gap")

    def __init__(
        self, machine: PackedWorld, chance: Random, *, are_eager: bool = False, as_decided: bool = False
    ) -> None:
        self.machine, self.world, self.chance, self.are_eager = machine, machine.world, chance, are_eager
        self.as_decided = as_decided
        self.tests: dict[tuple[str, tuple[int, ...]], Test] = {}
        self.chronicle = Chronicle()
        self.chronicle.now = STEP_NS
        self.clients = Clients(self.chronicle, chance, are_eager=are_eager)
        self.readers = Readers(self.chronicle, chance, are_eager=are_eager)
        self.before = self.after = self.world.start

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        raise NotImplementedError

    @property
    def replication(self) -> int:
        """How many copies a record needs."""
        raise NotImplementedError

    @property
    def logs(self) -> Sequence[int]:
        """The numbers of the logs."""
        raise NotImplementedError

    @property
    def racks(self) -> tuple[frozenset[int], ...]:
        """The racks, if copies must lie in two of them."""
        return ()

    @property
    def factors(self) -> Mapping[str, int]:
        """The replication property."""
        return {"node": self.replication} | ({"rack": 2} if self.racks else {})

    def begin(self) -> None:
        """What was there before the first step."""

    def between(self) -> None:
        """What the environment does after each step."""

    def end(self) -> None:
        """What the environment does after the last step."""

    def tell(self, run: Trace, clocks: Clocks = "exact") -> Told:
        """A run as a trace."""
        self.begin()
        for step, before, after in zip(run.steps, run.states[:-1], run.states[1:], strict=True):
            self.chronicle.now += STEP_NS
            self.before, self.after = before, after
            getattr(self, step.action.name)(*step.args)
            self.chronicle.now += STEP_NS
            self.between()
            if not self.are_eager and self.chance.random() < REFUSED:
                self.clients.refuse(self.chance.choice(self.logs), self.chance.randint(1, PAYLOADS))
        self.chronicle.now += STEP_NS
        self.end()
        self.clients.leave()
        return Told(self._heading(clocks), self.chronicle.rows(clocks), frozenset(self.readers.lost))

    def maybe(self) -> bool:
        """Whether something happens that may."""
        return self.are_eager or self.chance.random() < 1 / 2

    def members(self, family: type[Family[Any]], number: int) -> frozenset[int]:
        """The elements of a set of a family."""
        return self.world.families[family][number]

    def defined(self, name: str, *args: int) -> bool:
        """What a definition of the text says after the step."""
        if (name, args) not in self.tests:
            body = self.world.protocol.definitions[name].body
            self.tests[name, args] = test_of(self.machine.formula(body, dict(enumerate(args))))
        return self.tests[name, args](self.machine.pack(self.after))

    def _heading(self, clocks: Clocks) -> Heading:
        recorders = {"controller": ("controller", self.by_controller)}
        recorders |= {node_name(node): ("node", self.by_node) for node in range(self.nodes)}
        recorders |= dict.fromkeys(self.clients.names, ("client", self.by_client))
        recorders |= dict.fromkeys(self.readers.names, ("reader", self.by_reader))
        promised = dict.fromkeys(self.promises, True) | {"copies": self.replication}
        return Heading(
            system=f"protocol text {self.world.protocol.__name__}",
            family="log",
            low_bits=ESN_BITS,
            recorders={name: said for name, said in recorders.items() if said[1]},
            members={NODES.section: tuple((f"n{node}", self._location(node)) for node in range(self.nodes))},
            promises=promised,
            clock_bound_ns=BOUND_NS if clocks == "bounded" else 0,
        )

    def _location(self, node: int) -> dict[str, str]:
        racks = [f"r{number}" for number, rack in enumerate(self.racks) if node in rack]
        return {"node": f"n{node}"} | ({"rack": racks[0]} if racks else {})


def node_name(node: int) -> str:
    """The name of a node's recorder."""
    return f"node-{node}"


def value_of(state: State, relation: str, *args: int) -> int | None:
    """What a partial function says in a state."""
    return next((row[-1] for row in state[relation] if row[:-1] == args), None)
