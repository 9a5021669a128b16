"""Judging: whether a history, and all histories of a seed, keep a guarantee."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any, Final

from conformance.check.checking import verdict_of_events
from quorate.suite.guarantees import Guarantee
from quorate.suite.planning import planned
from quorate.suite.running import Run, run
from quorate.suite.shrinking import shrunk
from quorate.suite.steps import Plan
from spec.language.rule import Rule
from spec.registry import BY_ID


@dataclass(frozen=True, slots=True)
class Profile:
    """How much is tried.

    Attributes:
        histories: of each guarantee.
        steps: how many steps a history may have, but for those at its end.
    """

    histories: int
    steps: int


SMALLER_S: Final = 60.0
"""How long a slow log may take until a history is small enough."""

PROFILES: Final = {"quick": Profile(60, 30), "thorough": Profile(1000, 80)}


@dataclass(frozen=True, slots=True)
class Conditions:
    """On what guarantees are asked.

    Attributes:
        factory: makes the adapter of a new and empty log.
        seed: decides everything that is left to chance.
        profile: how much is tried.
        timeout_s: how long a coroutine of the adapter may take.
    """

    factory: Callable[[], Any]
    seed: str
    profile: Profile
    timeout_s: float

    def run(self, plan: Plan) -> Run:
        """Do what a plan says to a new log.

        Raises:
            AdapterError: one of its kinds, if the adapter does what none may do.
        """
        return run(plan, self.factory, self.timeout_s)


@dataclass(frozen=True, slots=True)
class Broken:
    """A history that breaks a guarantee.

    Attributes:
        ran: the smallest one that was found.
        rules: the rules that it breaks.
        found: the history by chance from which it was made; empty if it was pasted.
        number: which of the histories of its seed that was.
    """

    ran: Run
    rules: tuple[str, ...]
    found: Plan = ()
    number: int = 0


@dataclass(slots=True)
class Findings:
    """What came of a guarantee.

    Attributes:
        histories: how many were run.
        asked: how many of them asked for it.
        instances: by rule, how many of its instances were decided.
        broken: what breaks it, if anything does.
    """

    histories: int = 0
    asked: int = 0
    instances: Counter[str] = field(default_factory=Counter)
    broken: Broken | None = None


def find(guarantee: Guarantee, conditions: Conditions, nodes: Sequence[str]) -> Findings:
    """Run histories until one breaks the guarantee, and make that one small; or all of them.

    Raises:
        AdapterError: one of its kinds, if the adapter does what none may do.
    """
    findings = Findings()
    for number in range(conditions.profile.histories):
        rng = Random(f"{conditions.seed} {guarantee.name} {number}")
        ran = conditions.run(planned(rng, guarantee.focus, nodes, conditions.profile.steps))
        findings.histories += 1
        if not guarantee.asks(ran.said):
            continue
        findings.asked += 1
        broken, instances = judged(ran, guarantee.rules)
        findings.instances.update(instances)
        if broken:
            small, rules = _smallest(ran, broken, guarantee, conditions)
            findings.broken = Broken(small, rules, ran.plan, number)
            break
    return findings


def judged(ran: Run, ids: tuple[str, ...]) -> tuple[tuple[str, ...], Counter[str]]:
    """The rules that a history breaks, of some, and how many instances of each were decided."""
    verdict = verdict_of_events(ran.header, ran.events, _rules(ids))
    broken = tuple(said.rule.id for said in verdict.judged if said.violated)
    return broken, +Counter({said.rule.id: said.judged - said.unknown for said in verdict.judged})


def _smallest(
    ran: Run, broken: tuple[str, ...], guarantee: Guarantee, conditions: Conditions
) -> tuple[Run, tuple[str, ...]]:
    """A small history that breaks one of the rules that this one breaks."""
    best, deadline = (ran, broken), time.monotonic() + SMALLER_S

    def shows(plan: Plan) -> bool:
        nonlocal best
        if time.monotonic() > deadline:
            return False
        smaller = conditions.run(plan)
        still = judged(smaller, broken)[0] if guarantee.asks(smaller.said) else ()
        if still:
            best = smaller, still
        return bool(still)

    shrunk(ran.plan, shows)
    return best


@cache
def _rules(ids: tuple[str, ...]) -> tuple[Rule, ...]:
    return tuple(BY_ID[name] for name in ids)
