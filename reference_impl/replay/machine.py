"""The machine of events: takes recorded events one after the other, or refuses one and names the guard."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from reference_impl.replay import (
    acks,
    asking,
    clients,
    cluster,
    copies,
    digests,
    greylists,
    known_good,
    metadata,
    outcomes,
    placing,
    plans,
    purges,
    readers,
    rebuilds,
    recorders,
    sending,
    sequencers,
    soft_seals,
    stages,
    trims,
    write_streams,
)
from reference_impl.replay.guard import Change, Check, Guard, Update, changes_of, guards_of
from reference_impl.replay.known_parameters import NOTHING_KNOWN, KnownParameters
from reference_impl.replay.observed import Cluster, Log
from reference_impl.replay.trace_events import readings
from spec.language.parameters import Parameters

CHAPTERS: Final = (
    recorders,
    clients,
    sequencers,
    metadata,
    acks,
    digests,
    plans,
    copies,
    soft_seals,
    placing,
    stages,
    write_streams,
    trims,
    outcomes,
    purges,
    readers,
    greylists,
    asking,
    sending,
    rebuilds,
    known_good,
    cluster,
)
"""The modules whose guards are asked, in this order."""

GUARDS: Final[tuple[Guard, ...]] = tuple(guard for module in CHAPTERS for guard in guards_of(module))
"""All guards, in the order in which they are asked."""

CHANGES: Final[tuple[Change, ...]] = tuple(change for module in CHAPTERS for change in changes_of(module))
"""What events change, in order."""

GUARDED: Final = frozenset(kind for module in CHAPTERS[1:] for guard in guards_of(module) for kind in guard.kinds)
"""The kinds of event that the machine knows; of others it asks only who says them."""


@dataclass(frozen=True)
class Refusal:
    """An event that is no step of the machine.

    Attributes:
        number: the event's place in the order of replay, from 1.
        expected: what the machine would have done.
        seen: what the record says.
    """

    guard: Guard
    number: int
    event: Mapping[str, Any]
    expected: str
    seen: str

    @property
    def ordered(self) -> bool:
        """It depends on the order of events of different recorders."""
        return self.guard.ordered


class TraceChecker:
    """Takes events as steps.

    Args:
        parameters: what the trace's header fixes.
        records: the kinds of event, by word, that each recorder may write down.
        guards: the guards to ask.
        known: what is known of the machine beyond what a trace says.
        in_part: recorders that leave out some of what they see.

    Attributes:
        taken: how many events were steps.
        unsure: how many of them leave something open that their recorder did not know.
        unknown: how many events there were of each kind that the machine does not know.
    """

    def __init__(
        self,
        parameters: Parameters,
        records: Mapping[str, frozenset[str]],
        guards: Iterable[Guard] = GUARDS,
        in_part: frozenset[str] = frozenset(),
        known: KnownParameters = NOTHING_KNOWN,
    ) -> None:
        self.cluster = Cluster(parameters, records, in_part, known)
        self.logs: dict[int, Log] = {}
        self.taken = self.unsure = 0
        self.unknown: Counter[int] = Counter()
        asked = tuple(guards)
        self._plans = {kind: (read, *_plan(kind, asked)) for kind, read in readings(parameters.low_bits).items()}

    def step(self, row: Mapping[str, Any]) -> Refusal | None:
        """Take an event; or say which guard refuses it, and change nothing."""
        kind = row["kind"]
        read, of_cluster, of_log, change_cluster, change_log = self._plans[kind]
        event, cluster = read(row), self.cluster
        for guard, check in of_cluster:
            if (against := check(cluster, event)) is not None:
                return Refusal(guard, self.taken + 1, row, *against)
        if "log" in row:
            log = self._log(row["log"])
            for guard, check in of_log:
                if (against := check(log, event)) is not None:
                    return Refusal(guard, self.taken + 1, row, *against)
            for update in change_log:
                update(log, event)
        for update in change_cluster:
            update(cluster, event)
        self.taken += 1
        self.unsure += None in event
        if kind not in GUARDED:
            self.unknown[kind] += 1
        return None

    def refuses(self, row: Mapping[str, Any]) -> Refusal | None:
        """Say which guard would refuse an event now, without taking it."""
        read, of_cluster, of_log, _, _ = self._plans[row["kind"]]
        event = read(row)
        book = self._log(row["log"]) if "log" in row else None
        asked = [(self.cluster, one) for one in of_cluster] + [(book, one) for one in of_log]
        for about, (guard, check) in asked:
            if (against := check(about, event)) is not None:
                return Refusal(guard, self.taken + 1, row, *against)
        return None

    def _log(self, number: int) -> Log:
        log = self.logs.get(number)
        if log is None:
            log = self.logs[number] = Log(self.cluster)
        return log


def _plan(
    kind: int, guards: Iterable[Guard]
) -> tuple[tuple[tuple[Guard, Check], ...], tuple[tuple[Guard, Check], ...], tuple[Update, ...], tuple[Update, ...]]:
    """The guards and changes of one kind of event: of the cluster's book, and of the log's."""
    asked = [guard for guard in guards if kind in guard.kinds]
    made = [change for change in CHANGES if kind in change.kinds]
    return (
        tuple((guard, guard.check) for guard in asked if not guard.of_log),
        tuple((guard, guard.check) for guard in asked if guard.of_log),
        tuple(change.update for change in made if not change.of_log),
        tuple(change.update for change in made if change.of_log),
    )
