"""Simulated ledgers: a plan in, the events of their clients, bookies, metadata server and checker out."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from random import Random
from typing import Any, Final

from reference_impl.kernel.noting import event_of
from reference_impl.kernel.simulator import Entity, Simulator
from reference_impl.ledger.auditing import Auditor, policy_of
from reference_impl.ledger.checker.state import Settings, Versioned
from reference_impl.ledger.mutants import mutant_named
from reference_impl.ledger.plan import MILLISECOND, LedgerPlan
from reference_impl.ledger.protocol import bookie as bookies
from reference_impl.ledger.protocol import metadata_server, reader, recovery, replicator, writer
from reference_impl.ledger.protocol.context import (
    READERS,
    REPLICATOR,
    WRITER,
    LedgerContext,
    bookie_of,
    client_of,
    metadata_of,
    name_of,
    number_of,
)
from reference_impl.ledger.protocol.messages import Begin, NextEntry, SetMark
from spec.ledger.availability.encoding import encode
from spec.ledger.events import Lost, Registration
from spec.ledger.marks import Mark
from spec.ledger.metadata import Metadata, Segment
from spec.ledger.placement.racks import RackAware

HORIZON_NS: Final = 400 * MILLISECOND
"""When a run ends."""

WRITTEN, ABANDONED, FENCED, DUEL, EMPTY, CROWDED = range(6)
"""What becomes of ledgers, in turn: closed by its writer; its writer dies; somebody else, or two, take over from it; it
gets no entries; or its ensemble is on few racks."""

RECOVERERS: Final = (1, 2)
CHECKS_NS: Final = tuple(at * MILLISECOND for at in (12, 60, 107, 240))
GRACE_MS: Final = 40
DELAY_MS: Final = 20
RACKS_LEAST: Final = 2
"""Over how many racks each write set has to be spread."""


def context_for(plan: LedgerPlan) -> LedgerContext:
    """The protocol of a run, correct or with the plan's mutant.

    Raises:
        UnknownMutant: there is no such mutant.
    """
    changes = dict(mutant_named(plan.mutant).changes) if plan.mutant else {}
    return LedgerContext(plan.quorums, tuple(range(plan.bookies)), plan.first_entry, changes=changes)


def simulate(plan: LedgerPlan) -> Iterator[dict[str, Any]]:
    """The events of a run, in the order in which they happen, by column, with recorder, order and time.

    Raises:
        UnknownMutant: there is no such mutant.
    """
    return Cluster(plan, context_for(plan)).run()


class Cluster:
    """A simulated cluster, who steers it, and what its checker may ask.

    Attributes:
        away: the bookies whose registration is gone.
        silent: the bookies that are up and registered, and do not answer the checker.
        losers: the ledgers and bookies that lost copies.
    """

    def __init__(self, plan: LedgerPlan, context: LedgerContext) -> None:
        self.plan, self.context = plan, context
        self.simulator = Simulator(plan.seed, plan.weather, context)
        self.away: set[int] = set()
        self.silent: set[int] = set()
        self.losers: set[tuple[int, int]] = set()
        self._rng, self._waits_ns = Random(plan.seed), 0
        self._runs = count()
        racks = {name_of(bookie): f"r{bookie % plan.racks}" for bookie in context.bookies}
        self.policy = RackAware(racks, RACKS_LEAST)

    def run(self) -> Iterator[dict[str, Any]]:
        """All that is recorded up to the end."""
        for ledger in range(self.plan.ledgers):
            self._open(ledger)
        self._fail_at_times()
        for at_ns in CHECKS_NS:
            self.simulator.at(at_ns, None, self._check)
        yield from self.simulator.run(HORIZON_NS)

    # ------------------------------------------------------------------------------------------ ledgers

    def _open(self, ledger: int) -> None:
        """A ledger, its entities, and who does what with it when."""
        plan, entities, kind = self.plan, self.simulator.entities, ledger % (CROWDED + 1)
        stride = plan.racks if kind == CROWDED and plan.racks * plan.quorums.ensemble <= plan.bookies else 1
        ensemble = tuple((ledger + step * stride) % plan.bookies for step in range(plan.quorums.ensemble))
        first = plan.first_entry
        metadata = Metadata(plan.quorums, (Segment(first, tuple(map(name_of, ensemble))),))
        server = metadata_server.Server(ledger, metadata)
        entities[metadata_of(ledger)] = Entity(metadata_server.HANDLERS, server, "metadata")
        survives = self.context.decides(bookies.after_crash)
        for number in self.context.bookies:
            state = bookies.Bookie(ledger, number)
            entity = Entity(bookies.HANDLERS, state, f"bookie-{number}", host=number, survives=survives)
            entities[bookie_of(ledger, number)] = entity
        total = 0 if kind == EMPTY else plan.entries
        start = writer.Writer(ledger, ensemble, total, first, first, confirmed=first - 1)
        entities[client_of(ledger, WRITER)] = Entity(writer.HANDLERS, start, f"writer-{ledger}")
        for client in RECOVERERS:
            idle = recovery.Recoverer(ledger, client)
            entities[client_of(ledger, client)] = Entity(recovery.HANDLERS, idle, f"client-{ledger}-{client}")
        reading = reader.Reader(ledger, READERS)
        entities[client_of(ledger, READERS)] = Entity(reader.HANDLERS, reading, f"reader-{ledger}")
        worker = replicator.Replicator(ledger, REPLICATOR)
        entities[client_of(ledger, REPLICATOR)] = Entity(replicator.HANDLERS, worker, f"replicator-{ledger}")
        self._schedule(ledger, kind)

    def _schedule(self, ledger: int, kind: int) -> None:
        """When a ledger is created, written, taken over and read."""
        at, start_ns = self.simulator.at, self._rng.randrange(3 * MILLISECOND)
        at(start_ns, metadata_of(ledger), Begin())
        at(start_ns + 10_000, client_of(ledger, WRITER), NextEntry())
        takeover_ns = start_ns + self._rng.randrange(MILLISECOND // 2, 10 * MILLISECOND)
        if kind in {ABANDONED, FENCED, DUEL}:
            at(takeover_ns, client_of(ledger, RECOVERERS[0]), Begin())
        if kind == DUEL:
            at(takeover_ns + self._rng.randrange(MILLISECOND), client_of(ledger, RECOVERERS[1]), Begin())
        if kind == ABANDONED:
            at(takeover_ns - 100_000, None, lambda: self._die(ledger))
        at(90 * MILLISECOND, client_of(ledger, RECOVERERS[1]), Begin())  # whatever is not closed by then is recovered
        for reads_ns in (4 * MILLISECOND, 40 * MILLISECOND, 200 * MILLISECOND, 300 * MILLISECOND):
            at(reads_ns + self._rng.randrange(MILLISECOND), client_of(ledger, READERS), Begin())

    def _die(self, ledger: int) -> None:
        """A writer dies."""
        entity = self.simulator.entities[client_of(ledger, WRITER)]
        entity.state = entity.state._replace(has_stopped=True)

    # ------------------------------------------------------------------------------------------- faults

    def _fail_at_times(self) -> None:
        """Bookies fail and come back; one is gone for good; some lose copies; one does not answer the checker."""
        at, rng = self.simulator.at, self._rng
        for at_ns in (MILLISECOND, 2 * MILLISECOND, 20 * MILLISECOND, 45 * MILLISECOND):
            bookie = rng.randrange(max(1, self.plan.bookies - 1))
            at(at_ns + rng.randrange(2 * MILLISECOND), None, lambda bookie=bookie: self._crash(bookie))
            at(at_ns + rng.randrange(6, 14) * MILLISECOND, None, lambda bookie=bookie: self._restart(bookie))
        at(58 * MILLISECOND, None, self._lose_copies)
        at(3 * MILLISECOND, None, self._mark_all_away)
        gone = rng.randrange(max(1, self.plan.bookies - 1))
        at(100 * MILLISECOND, None, lambda: self._crash(gone))
        at(110 * MILLISECOND, None, lambda: self._mark(gone))
        for at_ns, member in ((105 * MILLISECOND, 0), (106 * MILLISECOND, 2 % self.plan.quorums.ensemble)):
            at(at_ns, None, lambda member=member: self._mark_loser(member))
        at(235 * MILLISECOND, None, lambda: self.silent.add(self.plan.bookies - 1))

    def _crash(self, bookie: int) -> None:
        self.simulator.crash(bookie)
        self.away.add(bookie)
        self.simulator.record("metadata", event_of(Registration, bookie=bookie, present=0))

    def _restart(self, bookie: int) -> None:
        self.simulator.restart(bookie)
        self.away.discard(bookie)
        self.simulator.record("metadata", event_of(Registration, bookie=bookie, present=1))

    def _lose_copies(self) -> None:
        """Two bookies lose what they have of the first ledger, one that of each third, and all of the seventh's."""
        size = self.plan.quorums.ensemble
        for ledger in range(0, self.plan.ledgers, 3):
            metadata = self._server(ledger).metadata
            losers = {0: {0, 2 % size}, 6: set(range(size))}.get(ledger, {ledger % size})
            for member in losers if metadata.is_closed else ():
                self._lose(ledger, number_of(metadata.last_segment.ensemble[member]))

    def _lose(self, ledger: int, bookie: int) -> None:
        entity = self.simulator.entities[bookie_of(ledger, bookie)]
        if entity.state.copies:
            self.losers.add((ledger, bookie))
        metadata = self._server(ledger).metadata
        for entry in entity.state.copies:
            segment = [one for one in metadata.segments if one.first_entry <= entry][-1]
            member = segment.ensemble.index(name_of(bookie)) if name_of(bookie) in segment.ensemble else 0
            lost = event_of(Lost, ledger=ledger, entry=entry, member=member, bookie=bookie)
            self.simulator.record(f"bookie-{bookie}", lost)
        entity.state = entity.state._replace(copies={})

    def _mark(self, bookie: int) -> None:
        """The auditor marks the ledgers of a bookie that is gone."""
        for ledger in range(self.plan.ledgers):
            self.simulator.at(0, metadata_of(ledger), SetMark((bookie,)))

    def _mark_all_away(self) -> None:
        """The auditor marks the ledgers of all bookies whose registration is gone."""
        for bookie in sorted(self.away):
            self._mark(bookie)

    def _mark_loser(self, member: int) -> None:
        """Of ledgers whose copies are lost each sixth is marked for that; the others wait for the checker."""
        for ledger in range(0, self.plan.ledgers, CROWDED + 1):
            bookie = number_of(self._server(ledger).metadata.last_segment.ensemble[member])
            if (ledger, bookie) in self.losers:
                self.simulator.at(0, metadata_of(ledger), SetMark((bookie,)))

    # ------------------------------------------------------------------------------------------ checker

    def _check(self) -> None:
        """A run of the checker begins."""
        policy = self.context.decides(policy_of)(self.policy, self.registered())
        settings = Settings(policy, GRACE_MS, DELAY_MS, changes=self.context.changes)
        auditor = Auditor(next(self._runs), self, settings, RACKS_LEAST, self._recorded)
        steps = auditor.steps(range(self.plan.ledgers))

        def go_on() -> None:
            self._waits_ns = 0
            if next(steps, self) is not self:
                self.simulator.at(self._waits_ns + self._rng.randrange(20_000, 200_000), None, go_on)

        go_on()

    def _recorded(self, event: dict[str, Any]) -> None:
        self.simulator.record("checker", event)

    def _server(self, ledger: int) -> metadata_server.Server:
        server: metadata_server.Server = self.simulator.entities[metadata_of(ledger)].state
        return server

    def now_ms(self) -> int:
        """The present time."""
        return self.simulator.now_ns // MILLISECOND

    def wait(self, delay_ms: int) -> None:
        """Let so much time pass before the next question."""
        self._waits_ns = delay_ms * MILLISECOND

    def mark(self, ledger: int) -> Mark | None:
        """The mark of a ledger."""
        return self._server(ledger).mark

    def metadata(self, ledger: int) -> Versioned | None:
        """The metadata of a ledger, and its version."""
        server = self._server(ledger)
        return Versioned(server.metadata, server.version)

    def entries(self, ledger: int, bookie: str) -> bytes | None:
        """What a bookie says that it has; nothing while it is down, or does not answer."""
        number = number_of(bookie)
        if number in self.simulator.down or number in self.silent:
            return None
        return encode(self.simulator.entities[bookie_of(ledger, number)].state.copies)

    def registered(self) -> frozenset[str]:
        """The bookies that are registered."""
        return frozenset(name_of(bookie) for bookie in self.context.bookies if bookie not in self.away)

    def known_down(self) -> frozenset[str]:
        """The auditor knows of every bookie whose registration is gone."""
        return frozenset(map(name_of, self.away))
