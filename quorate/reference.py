"""The reference machine behind the adapter protocol: ``pytest --quorate-adapter quorate.reference:ReferenceLog``.

It shows the suite a log with epochs that keeps every guarantee, and the author of an adapter how one is written that
can do nearly everything. Time is virtual: a call that takes seconds there takes milliseconds here.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Final

from quorate.adapters.protocol import AtEnd, Gap, Indefinite, Lsn, Record, Refused, Step
from quorate.positions import epoch_and_esn
from reference_impl.environment.served import Served
from reference_impl.kernel.step import Event
from reference_impl.kernel.weather import Weather
from reference_impl.log import trace_events
from reference_impl.log.lsn import epoch_of, esn_of, lsn_of
from reference_impl.plan import SimulationPlan
from reference_impl.simulate import context_for
from spec import events
from spec.events import GAP_KINDS
from spec.language.events import column
from spec.log.topology import Topology

PATIENCE_NS: Final = 60_000_000
"""How long, in virtual time, a client waits for anything before it gives up."""

NODES: Final = 3
FIRST: Final = lsn_of(1, 1)
"""The first LSN of a log."""

REASON: Final = column(events.Gap.reason)
REASONS: Final = {number: reason for reason, number in GAP_KINDS.items()}


class ReferenceLog:
    """A new log on three nodes, each record on two of them.

    Args:
        mutant: the name of a deviation of the machine; "" for the correct one.
        seed: decides delays, and who becomes the sequencer.
    """

    system = "reference machine"
    promises = ("real_time_order", "append_once")
    nodes = tuple(f"n{number}" for number in range(NODES))

    def __init__(self, mutant: str = "", seed: int = 1) -> None:
        topology = Topology.flat(NODES)
        plan = SimulationPlan(topology=topology, replication={"node": 2}, mutant=mutant)
        self._served = Served(context_for(plan), topology, seed, Weather())
        self._payloads: list[bytes] = []

    async def append(self, payload: bytes) -> Lsn:
        """Append, as nobody in particular."""
        return await self.append_as("client", payload)

    def read(self, start: Lsn) -> AsyncIterator[Step]:
        """Read from an LSN on."""
        return self.steps(start)

    def client(self, name: str) -> ReferenceClient:
        """A client of its own."""
        return ReferenceClient(self, name)

    async def append_as(self, client: str, payload: bytes) -> Lsn:
        """Append, as one of the clients.

        Raises:
            Refused: the sequencer did not take it.
            Indefinite: another sequencer took over, or nobody answered.
        """
        number = len(self._payloads)
        self._payloads.append(payload)
        self._served.append(client, number)
        await asyncio.sleep(0)  # whoever else wants to append now begins, too
        self._wait_for_append(number)
        said = self._served.told[number]
        match said["kind"]:
            case trace_events.ACK:
                return said["epoch"], said["esn"]
            case trace_events.FAIL:
                raise Refused("the sequencer did not take it")
        raise Indefinite("another sequencer took over")

    def _wait_for_append(self, number: int) -> None:
        if not self._served.wait(lambda: number in self._served.told, PATIENCE_NS):
            raise Indefinite("no answer")

    async def steps(self, start: Lsn) -> AsyncIterator[Step]:
        """Read from an LSN on; never ends, for after the end it looks again.

        Raises:
            Indefinite: the reader does not get to where the log ends.
        """
        cursor = max(FIRST, lsn_of(*epoch_and_esn(start)))
        stream = self._served.read(cursor)
        given = self._served.given(stream)
        while True:
            tail = self._served.tail
            if cursor <= tail and not self._served.wait(lambda: bool(given), PATIENCE_NS):
                raise Indefinite("the reader does not get on")
            if given:
                step, cursor = self._step(given.popleft())
                yield step
            else:
                yield AtEnd(_place(cursor))

    def _step(self, event: Event) -> tuple[Step, int]:
        """What a reader was given, and the LSN after it."""
        last = lsn_of(event["upto_epoch"], event["upto_esn"])
        if event["kind"] == trace_events.DELIVER:
            return Record(_place(last), self._payload(event["digest"])), last + 1
        first = lsn_of(event["epoch"], event["esn"])
        return Gap(_place(first), _place(last), REASONS[event[REASON]]), last + 1

    def tail(self) -> Lsn:
        """The LSN from which on nothing lies: the one after the last that a sequencer gave out."""
        return _place(max(FIRST, self._served.tail + 1))

    def trim(self, upto: Lsn) -> None:
        """Delete everything up to an LSN, once it may be read and its epoch is clean.

        Raises:
            Indefinite: it may not be read yet.
        """
        lsn = lsn_of(*epoch_and_esn(upto))
        if not self._served.wait(lambda: self._served.is_released(lsn), PATIENCE_NS):
            raise Indefinite("it is not released")
        self._served.trim(lsn)

    async def seal(self) -> None:
        """Let another sequencer take over, in a new epoch."""
        self._served.seal()

    def holds(self, node: str) -> list[Record]:
        """The records that a node holds."""
        held = self._served.holds(self._number(node))
        return [Record(_place(lsn), self._payload(digest)) for lsn, digest in held.items()]

    def crash(self, node: str) -> None:
        """End a node; what it has on its disk stays."""
        self._served.crash(self._number(node))

    def restart(self, node: str) -> None:
        """Start a node again, and wait until a sequencer works."""
        self._served.restart(self._number(node))
        self._served.wait(self._served.is_served, PATIENCE_NS)

    def pause(self, node: str) -> None:
        """Let a node stand still."""
        self._served.pause(self._number(node))

    def resume(self, node: str) -> None:
        """Let a node go on."""
        self._served.resume(self._number(node))

    def partition(self, node: str) -> None:
        """Cut a node off from all others."""
        self._served.partition(self._number(node))

    def heal(self, node: str) -> None:
        """Connect a node again."""
        self._served.heal(self._number(node))

    def _payload(self, digest: int) -> bytes:
        """The payload of a hash; a deviation of the machine may have hashes that are nobody's."""
        return self._payloads[digest] if digest < len(self._payloads) else f"nobody's {digest}".encode()

    def _number(self, node: str) -> int:
        return self.nodes.index(node)


class ReferenceClient:
    """A client of a log."""

    def __init__(self, log: ReferenceLog, name: str) -> None:
        self._log, self._name = log, name

    async def append(self, payload: bytes) -> Lsn:
        """Append, as this client."""
        return await self._log.append_as(self._name, payload)

    def read(self, start: Lsn) -> AsyncIterator[Step]:
        """Read from an LSN on."""
        return self._log.steps(start)


def _place(lsn: int) -> tuple[int, int]:
    return epoch_of(lsn), esn_of(lsn)
