"""The engine: a text takes the steps that are claimed of it, in every way that what was not recorded leaves open."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from reference_impl.following.claims import CannotFollow, Duty, EventRow, Fact, Gone, Guide, OneOf, TextStep, Unfounded
from spec.language.protocol.clauses import Clause
from spec.language.protocol.sharing import SharedRows
from spec.language.protocol.states import Row, Rows, State, Step
from spec.language.protocol.stepping import stepping
from spec.language.terms import Term

WAYS_MAX: Final = 64
"""In so many states a text may be at the same time."""


class Refused(NamedTuple):
    """An event that is no step of the text.

    Attributes:
        claim: the step that it claims to be; the last of those that it may be.
        guards: the guards of the action that fail, in one of the states that the text may be in.
        state: that state.
        missing: of what the event says was there before the step, what was not; as phrases.
        unfollowed: of what it says is there after the step, what the step does not lead to; as phrases.
    """

    claim: TextStep | Unfounded
    guards: tuple[Term, ...]
    state: State
    missing: tuple[str, ...] = ()
    unfollowed: tuple[str, ...] = ()


class Text:
    """A text as far as the events of one subject have come.

    Attributes:
        states: all that it may be in.
        choices: how often an event could be several steps.
        taken: how many steps it took.
    """

    def __init__(self, guide: Guide) -> None:
        self.guide = guide
        start = tuple((name, SharedRows.of()) for name in guide.world.protocol.relations)
        self.states: tuple[State, ...] = (State(start),)
        self.choices = self.taken = 0

    def step(self, event: EventRow) -> Refused | None:
        """Take the steps that an event claims to be; after a refusal the text is where it was.

        Raises:
            CannotFollow: the text may be in too many states, or the guide says so.
        """
        states = self.states
        for duty in self.guide.duties(event):
            found = self._met(states, duty)
            if isinstance(found, Refused):
                return found
            states = found
            if len(states) > WAYS_MAX:
                raise CannotFollow(f"what was not recorded leaves more than {WAYS_MAX} ways open")
        self.states = states
        return None

    def _met(self, states: tuple[State, ...], duty: Duty) -> tuple[State, ...] | Refused:
        """The states after what must have happened, or why it cannot have."""
        match duty:
            case Unfounded():
                return Refused(duty, (), states[0])
            case Gone(facts):
                return _distinct(_without(state, facts) for state in states)
            case OneOf(claims):
                self.choices += len(claims) > 1
            case _:
                claims = (duty,)
        after = _distinct(there for state in states for claim in claims if (there := self._after(state, claim)))
        if not after:
            return self._refused(states[-1], claims[-1])
        self.taken += 1
        return after

    def _after(self, state: State, claim: TextStep) -> State | None:
        """The state after a step; None where the text cannot take it, or does not leave what the event says."""
        if claim.unless is not None and claim.unless.row in state[claim.unless.relation]:
            return state
        if _lacks(state, claim.needs):
            return None
        there = self._taken(state, claim)
        return None if there is None or _lacks(there, claim.gives) else there

    def _taken(self, state: State, claim: TextStep) -> State | None:
        world, step = self.guide.world, self._step(claim)
        later = tuple(fact for fact in claim.later if fact.row in state[fact.relation])
        there = stepping(world.protocol).after(world, _without(state, later), step, strict=False)
        if there is None:
            return None
        there = _with(there, later)
        return _only(state, there, claim.seen) if claim.seen else there

    def _step(self, claim: TextStep) -> Step:
        return Step(self.guide.world.protocol.clauses[claim.action], claim.args)

    def _refused(self, state: State, claim: TextStep) -> Refused:
        world, there = self.guide.world, self._taken(state, claim)
        if there is None:
            return Refused(claim, stepping(world.protocol).failing(world, state, self._step(claim)), state)
        missing = _lacks(state, claim.needs)
        unfollowed = [] if missing else _lacks(there, claim.gives)
        phrases = (tuple(self.phrase(*fact) for fact in facts) for facts in (missing, unfollowed))
        return Refused(claim, (), state, *phrases)

    def clause_of(self, claim: TextStep | Unfounded) -> Clause | None:
        """The action that a claim names; none for what is no step at all."""
        return None if isinstance(claim, Unfounded) else self.guide.world.protocol.clauses[claim.action]

    def phrase(self, relation: str, row: Row) -> str:
        """That a row is in a relation, in the words of the text."""
        found = self.guide.world.protocol.relations[relation]
        return found.phrase.format(*map(self.guide.called, found.sorts, row))


def _distinct(states: Iterable[State]) -> tuple[State, ...]:
    found = tuple(states)
    return found if len(found) < 2 else tuple(dict.fromkeys(found))  # noqa: PLR2004 - one state is distinct


def _lacks(state: State, facts: tuple[Fact, ...]) -> list[Fact]:
    """The facts that are not there."""
    return [fact for fact in facts if fact.row not in state[fact.relation]]


def _without(state: State, facts: tuple[Fact, ...]) -> State:
    """The state without some facts."""
    if not facts:
        return state
    rows = _by_relation(facts)
    return State(tuple((name, old - rows[name] if name in rows else old) for name, old in state.relations))


def _with(state: State, facts: tuple[Fact, ...]) -> State:
    """The state with some facts."""
    if not facts:
        return state
    rows = _by_relation(facts)
    return State(tuple((name, old | rows[name] if name in rows else old) for name, old in state.relations))


def _by_relation(facts: tuple[Fact, ...]) -> dict[str, Rows]:
    return {name: frozenset(row for relation, row in facts if relation == name) for name, _ in facts}


def _only(before: State, after: State, seen: tuple[str, ...]) -> State:
    """The state before a step with what is seen of it so far."""
    return State(tuple((name, after[name] if name in seen else old) for name, old in before.relations))
