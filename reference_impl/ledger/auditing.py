"""The edge of the checker in a simulated cluster: one question after the other, and each written down.

Between two questions the cluster goes on. BookKeeper, BP-34, High Level Logic.
"""

# ruff: noqa: ARG001 - all decisions of one kind have one signature

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any, Final

from reference_impl.kernel.decision import decision
from reference_impl.kernel.noting import event_of
from reference_impl.ledger.checker.asking import OneByOne, ask
from reference_impl.ledger.checker.machine import step, wanted
from reference_impl.ledger.checker.messages import (
    Action,
    Answered,
    DelayPassed,
    MarkSeen,
    MetadataSeen,
    StandingSeen,
)
from reference_impl.ledger.checker.state import Check, Ending, Settings, Stage
from reference_impl.ledger.protocol.context import number_of
from reference_impl.ledger.protocol.metadata_server import MILLISECOND_NS
from spec.ledger import events
from spec.ledger.availability.groups import Groups, grouped, sequences_of
from spec.ledger.durability import Share, shares
from spec.ledger.events import values
from spec.ledger.metadata import Metadata, State
from spec.ledger.placement.adherence import Adherence, Policy
from spec.ledger.violations import Category, Violation

Record = Callable[[dict[str, Any]], None]

CATEGORIES: Final = {category: number for number, category in enumerate(Category)}
"""The numbers of categories in traces: in the order of their definition."""

ADHERENCE: Final = {
    Adherence.FAIL: values.FAIL,
    Adherence.MEETS_SOFT: values.MEETS_SOFT,
    Adherence.MEETS_STRICT: values.MEETS_STRICT,
}
ENDINGS: Final = {
    Ending.SOUND: values.SOUND,
    Ending.REPORTED: values.REPORTED,
    Ending.MARKED: values.SKIPPED,
    Ending.NOT_CLOSED: values.SKIPPED,
    Ending.GONE: values.SKIPPED,
    Ending.BOOKIES_DOWN: values.UNDECIDED,
    Ending.UNREADABLE: values.UNDECIDED,
}
STATES: Final = {State.OPEN: values.OPEN, State.IN_RECOVERY: values.IN_RECOVERY, State.CLOSED: values.CLOSED}


# --------------------------------------------------------------------------------------------- decisions


@decision
def list_of(entries: frozenset[int]) -> Groups:
    """A bookie groups what it has: BP-34, Public Interfaces."""
    return grouped(sequences_of(entries))


@decision
def found_in(answered: frozenset[int], share: Share) -> frozenset[int]:
    """The entries that a bookie should have, and says that it has."""
    return share.entries & answered


@decision
def expected(metadata: Metadata) -> tuple[Share, ...]:
    """What each member of each ensemble should have: BP-34, High Level Logic."""
    return tuple(shares(metadata))


@decision
def policy_of(policy: Policy, up: frozenset[str]) -> Policy:
    """Ensembles are held to the policy by the racks of all bookies, whether they are up or not."""
    return policy


@decision
def looked_up(silent: tuple[str, ...]) -> tuple[str, ...]:
    """Of every bookie that stays silent it is asked whether it is registered: BP-34, High Level Logic."""
    return silent


@decision
def counted(by_range: Sequence[Counter[int]]) -> Counter[int]:
    """Violations are counted over the whole run: BP-34, aggregated after the end of the run."""
    return sum(by_range, Counter())


class Auditor:
    """One run of the checker over some ledgers, in ranges of two.

    Args:
        run: its number.
        cluster: what is asked.
        settings: what it is asked to do.
        racks: over how many racks each write set has to be spread.
        record: writes down an event.
    """

    RANGE: Final = 2

    def __init__(self, run: int, cluster: OneByOne, settings: Settings, racks: int, record: Record) -> None:
        self.run, self.cluster, self.settings, self.racks, self._record = run, cluster, settings, racks, record

    def steps(self, ledgers: Sequence[int]) -> Iterator[None]:
        """Check all ledgers; whoever steers the cluster lets it go on at each step."""
        by_range: list[Counter[int]] = []
        aside: list[Check] = []
        for place, ledger in enumerate(ledgers):
            if place % self.RANGE == 0:
                by_range.append(Counter())
            check = yield from self._checked(Check(ledger), by_range[-1])
            aside += [check] if check.stage is Stage.ASIDE else []
        if aside:
            self.cluster.wait(self.settings.delay_ms)
            yield
            by_range.append(Counter())
        for check in aside:
            again = self._after(check, DelayPassed())
            yield from self._checked(again, by_range[-1])
        totals = self.settings.decides(counted)(by_range)
        for category in CATEGORIES.values():
            self._note(events.Counted, category=category, number=totals[category])

    def _checked(self, check: Check, counts: Counter[int]) -> Generator[None, None, Check]:
        while questions := wanted(check):
            stage, action = check.stage, ask(self.cluster, questions[0])
            action = self._heard(check, action)
            self._told(check, stage, action)
            check = self._after(check, action)
            yield
        if check.stage is Stage.DONE:
            for violation in check.reported:
                counts[CATEGORIES[violation.category]] += self._reported(check, violation)
            version = check.read.version if check.read else 0
            ending = ENDINGS[check.ending or Ending.UNREADABLE]
            delayed = int(check.is_delayed)
            self._note(events.Checked, ledger=check.ledger, version=version, delayed=delayed, ending=ending)
        return check

    def _after(self, check: Check, action: Action) -> Check:
        after = step(check, action, self.settings)
        if after is None:
            raise AssertionError(f"the check of ledger {check.ledger} did not ask for {action}")
        return after

    def _heard(self, check: Check, action: Action) -> Action:
        """What a bookie has of what it should have."""
        if not isinstance(action, Answered) or action.entries is None or check.read is None:
            return action
        due = [share for share in self._shares(check) if share.bookie == action.bookie]
        found = [self.settings.decides(found_in)(action.entries, share) for share in due]
        return action._replace(entries=frozenset[int]().union(*found))

    def _shares(self, check: Check) -> tuple[Share, ...]:
        return self.settings.decides(expected)(check.read.metadata) if check.read else ()

    def _told(self, check: Check, stage: Stage, action: Action) -> None:
        again = int(stage in {Stage.MARK_AGAIN, Stage.METADATA_AGAIN})
        match action:
            case MarkSeen(mark, now_ms):
                age_ms = now_ms - (mark.marked_ms or 0) if mark else 0
                said = {"marked": int(mark is not None), "again": again, "age": age_ms * MILLISECOND_NS}
                grace_ns = self.settings.grace_ms * MILLISECOND_NS
                self._note(events.MarkLooked, ledger=check.ledger, **said, grace=grace_ns)
            case MetadataSeen(found):
                state = STATES[found.metadata.state] if found else values.DELETED
                version = found.version if found else check.read.version if check.read else 0
                self._note(events.MetadataRead, ledger=check.ledger, version=version, state=state, again=again)
                if found and not again and found.metadata.is_closed:
                    self._placed(check, found.version, found.metadata)
            case Answered(bookie, entries):
                self._listed(check, bookie, entries)
            case StandingSeen(registered, known_down):
                for bookie in self.settings.decides(looked_up)(check.silent):
                    said = {"registered": int(bookie in registered), "known_down": int(bookie in known_down)}
                    self._note(events.StandingSeen, ledger=check.ledger, bookie=number_of(bookie), **said)
            case _:
                pass

    def _placed(self, check: Check, version: int, metadata: Metadata) -> None:
        for segment in metadata.segments:
            adherence = self.settings.policy(segment.ensemble, metadata.quorums)
            self._note(
                events.PlacementJudged,
                ledger=check.ledger,
                entry=segment.first_entry,
                version=version,
                delayed=int(check.is_delayed),
                adherence=ADHERENCE[adherence],
                racks=self.racks,
                ensemble=frozenset(map(number_of, segment.ensemble)),
            )

    def _listed(self, check: Check, bookie: str, entries: frozenset[int] | None) -> None:
        at = {"ledger": check.ledger, "version": check.read.version if check.read else 0, "bookie": number_of(bookie)}
        at |= {"delayed": int(check.is_delayed)}
        if entries is None:
            self._note(events.Unheard, **at)
            return
        due = [share for share in self._shares(check) if share.bookie == bookie]
        wanted_of = frozenset[int]().union(*(share.entries for share in due))
        groups = self.settings.decides(list_of)(entries)
        self._note(events.Heard, **at, groups=len(groups), segments=len(due), astray=int(entries != wanted_of))
        for share in due:
            for entry in sorted(share.entries):
                said = {"entry": entry, "member": share.member, "present": int(entry in entries)}
                self._note(events.Listed, **at, **said)

    def _reported(self, check: Check, violation: Violation) -> int:
        """Record a violation: one event for each entry, and how many that were."""
        entries = violation.entries or (violation.segment or 0,)
        for entry in entries:
            self._note(
                events.Reported,
                ledger=check.ledger,
                entry=entry,
                version=check.read.version if check.read else 0,
                delayed=int(check.is_delayed),
                category=CATEGORIES[violation.category],
                blamed=frozenset(map(number_of, violation.bookies)),
            )
        return len(entries)

    def _note(self, event: type[events.Event], **said: Any) -> None:
        self._record(event_of(event, run=self.run, **said))
