"""The checker of logs: all events of a trace, each followed in the texts of the epochs that it is about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from reference_impl.following.checker import Refusal
from reference_impl.following.claims import CannotFollow, EventRow, Unfounded
from reference_impl.following.logs.abstraction import CLAIMING, OneOf, Told, told_by
from reference_impl.following.logs.observed import Cluster, ObservedLog
from reference_impl.following.logs.recorded import NEEDED, demand_known
from reference_impl.following.logs.steps import Against, Stepped, stepped
from reference_impl.following.logs.wording import refusal_of
from reference_impl.refinement.environment_steps import status_steps
from reference_impl.refinement.texts import EpochText, with_nodeset
from reference_impl.refinement.worlds import Worlds
from spec.events import Fault, NewEpoch, StatusTable
from spec.language.parameters import Parameters

NOWHERE: Final = {"node": 1}
"""A replication property for logs of which no epoch has been given out."""

START: Final = EpochText()
"""An epoch of which nothing is known."""

SPOKEN_OF: Final = CLAIMING | {NewEpoch.kind, StatusTable.kind, Fault.kind}
"""The kinds of event of which texts speak, or by which others are read."""


class After(NamedTuple):
    """Where the texts are that an event changes, by log and epoch; the steps they took, and how many were chosen."""

    texts: dict[tuple[int, int], EpochText]
    actions: list[str]
    chosen: list[OneOf]


@dataclass(frozen=True)
class FollowedLogs:
    """How traces of logs are followed: each epoch by a text of its own."""

    family: str = "log"
    text: str = "epoch"
    needs: tuple[str, ...] = tuple(event.word for event in NEEDED)
    leaves_out: str = "clients, readers, waves and copysets, metadata, what the event log says, times"

    def checker(self, parameters: Parameters) -> LogChecker:
        """What follows a trace with such parameters."""
        return LogChecker(parameters)


class LogChecker:
    """Takes events as steps of the texts of their epochs.

    Attributes:
        taken: how many events were followed or passed over.
        choices: how many events could be several steps, of which the first that could be was taken.
        passed_over: the kinds of event that no text speaks of, by number.
        by_action: how many steps the texts took, by action.
    """

    def __init__(self, parameters: Parameters) -> None:
        self._parameters = parameters
        self._cluster = Cluster()
        self._observed: dict[int, ObservedLog] = {}
        self._texts: dict[int, dict[int, EpochText]] = {}
        self._worlds: dict[int, Worlds] = {}
        self._by_property: dict[tuple[tuple[str, int], ...], Worlds] = {}
        self.taken = self.choices = 0
        self.passed_over = Counter[int]()
        self.by_action = Counter[str]()

    @property
    def steps(self) -> int:
        """How many steps texts took."""
        return self.by_action.total()

    @property
    def subjects(self) -> int:
        """How many texts were followed."""
        return sum(map(len, self._texts.values()))

    def step(self, event: EventRow) -> Refusal | None:
        """Take an event as steps of texts; after a refusal all texts are where they were.

        Raises:
            CannotFollow: nobody knows what the event says.
        """
        after = self._after(event)
        if not isinstance(after, After):
            return refusal_of(self.taken + 1, event, after)
        for (log, epoch), text in after.texts.items():
            self._texts.setdefault(log, {})[epoch] = text
        self.by_action.update(after.actions)
        self.choices += sum(len(one.claims) > 1 for one in after.chosen)
        self._learn(event)
        self.taken += 1
        return None

    def refuses(self, event: EventRow) -> Refusal | None:
        """Say whether an event would be refused now, without taking it.

        Raises:
            CannotFollow: nobody knows what the event says.
        """
        after = self._after(event)
        return None if isinstance(after, After) else refusal_of(self.taken + 1, event, after)

    def _learn(self, event: EventRow) -> None:
        """Take note of an event that was taken."""
        self._cluster.learn(event)
        if event["kind"] == NewEpoch.kind:
            self._worlds.setdefault(event["log"], self._worlds_of(event["replication"]))
        if "log" in event:
            self._observed_of(event["log"]).learn(event)
        if event["kind"] not in SPOKEN_OF:
            self.passed_over[event["kind"]] += 1

    def _after(self, event: EventRow) -> After | Against:
        """Where texts are after an event, or why it is no step."""
        demand_known(event)
        after = After({}, [], [])
        for log, told in self._told(event):
            if isinstance(told, Unfounded):
                return told
            worlds, place = self._worlds.get(log) or self._worlds_of(NOWHERE), (log, told.epoch)
            text = after.texts.get(place) or self._text(*place)
            found = stepped(worlds, text, told, event)
            if not isinstance(found, Stepped):
                return found
            after.texts[place] = found.text
            after.actions.extend(found.actions)
            if isinstance(told, OneOf):
                after.chosen.append(told)
        if event["kind"] == NewEpoch.kind:
            return self._given_out(event)
        return after

    def _given_out(self, event: EventRow) -> After | Unfounded:
        """An epoch has its nodeset, which can hold copysets.

        Raises:
            CannotFollow: the replication property of the log changes.
        """
        log, _ = place = event["log"], event["epoch"]
        worlds, nodeset = self._worlds_of(event["replication"]), event["nodes"]
        if self._worlds.get(log, worlds) is not worlds:
            raise CannotFollow(f"the replication property of log {log} changes")
        if worlds.copyset_of(nodeset, nodeset) is None:
            return Unfounded(f"no copyset fits into the nodeset {sorted(nodeset)}")
        (text,) = with_nodeset((self._text(*place),), 1, nodeset, worlds.everyone)
        return After({place: text}, [], [])

    def _told(self, event: EventRow) -> Iterator[tuple[int, Told]]:
        """What an event comes to, for each log that it is about."""
        if event["kind"] == StatusTable.kind:
            for log, worlds in self._worlds.items():
                last = max(self._texts.get(log, {}), default=0)
                texts = tuple(self._text(log, epoch) for epoch in range(1, last + 1))
                yield from ((log, claim) for claim in status_steps(worlds, texts, dict(event)))
        elif event["kind"] in CLAIMING:
            log = event["log"]
            yield from (
                (log, told) for told in told_by(event, self._observed_of(log), lambda epoch: self._text(log, epoch))
            )

    def _text(self, log: int, epoch: int) -> EpochText:
        return self._texts.get(log, {}).get(epoch, START)

    def _observed_of(self, log: int) -> ObservedLog:
        if log not in self._observed:
            self._observed[log] = ObservedLog(self._cluster)
        return self._observed[log]

    def _worlds_of(self, replication: Mapping[str, int]) -> Worlds:
        key = tuple(sorted(replication.items()))
        if key not in self._by_property:
            self._by_property[key] = Worlds(self._parameters, replication)
        return self._by_property[key]
