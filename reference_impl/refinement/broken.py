"""Broken refinements: a step of the machine that is no step of the text, shown with both states."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference_impl.kernel.simulator import Transition
from reference_impl.refinement.abstraction import ClaimedStep, Given
from reference_impl.refinement.follow import Difference, Refused, numbered
from reference_impl.refinement.wording import NOTHING, changes, element, of_machine, rows, short
from spec.language.protocol.clauses import Clause
from spec.language.protocol.prose import Prose
from spec.language.protocol.sorts import Sort
from spec.protocols.epoch import Epoch
from spec.protocols.sorts import Slot, Value, Writer


@dataclass(frozen=True)
class Broken:
    """A step that is no step of the text.

    Attributes:
        refused: the step, and where the text was.
        number: its place among all steps of the run, from 1.
        trail: the steps of the machine that lead to it, itself last, where they are known; it leaves out answers that
            change nothing.
        whose: who says what the text does not.
    """

    refused: Refused
    number: int
    trail: tuple[Transition, ...] = ()
    whose: str = "the machine"

    @property
    def action(self) -> str:
        """The action of the text that the step claims to be; a reader that gives what was not sent claims delivery."""
        claim = self.refused.claim
        return claim.action if isinstance(claim, ClaimedStep) else "deliver"

    @property
    def why(self) -> tuple[str, ...]:
        """What forbids the step: the guards that fail, or where machine and text differ, each as a sentence."""
        refused = self.refused
        if isinstance(refused.claim, Given):
            return (f"no node has sent {self._element(Value, self._given)}",)
        if refused.no_quorum:
            nodeset = ", ".join(map(str, sorted(refused.text.nodeset)))
            return (f"{self._named['heard']} are no f-majority of the nodeset {nodeset}",)
        if refused.difference is not None:
            return (self._differs(refused.difference),)
        names = {param.var.number: self._named[param.name] for param in self.clause.params}
        return tuple(Prose(Epoch).say(guard, names) for guard in refused.guards)

    @property
    def step(self) -> str:
        """The step of the text that it would be, as a call."""
        return f"{self.action}({', '.join(self._named.values())})"

    def text(self) -> str:
        """The step of the machine, the state of the text, and what forbids the step, line by line."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        taken, claim, text = self.refused.taken, self.refused.claim, self.refused.text
        yield from of_machine(self.number, self.trail, taken, Epoch.__name__)
        yield from map(short, changes(taken.before, taken.after))
        yield f"The text of epoch {claim.epoch} of log {taken.to[1]}, as far as it is about this step:"
        state = text.seen_by(claim.reader if isinstance(claim, ClaimedStep) else None)
        said = list(rows(text, state, self._slots))
        yield from (f"  {row}" for row in said or ["nothing has happened"])
        given = ", ".join(f"{name} = {called}" for name, called in self._named.items())
        yield f"The step would be {self.action} with {given}:"
        yield f"  {self.clause.sentence}"
        yield from (f"  fails: {why}" for why in self.why)

    @property
    def clause(self) -> Clause:
        """What the text says of that step."""
        return Epoch.clauses[self.action]

    @property
    def _named(self) -> dict[str, str]:
        """What each argument stands for, by the parameter's name."""
        claim, params = self.refused.claim, self.clause.params
        if isinstance(claim, Given):
            return {"slot": self._element(Slot, claim.slot), "value": self._element(Value, self._given)}
        text, claim = numbered(self.refused.text, claim)
        pairs = zip(params, claim.numbers, strict=True)
        return {param.name: element(param.var.sort, number, text, claim.heard) for param, number in pairs}

    @property
    def _given(self) -> int:
        claim, payloads = self.refused.claim, self.refused.text.payloads
        return claim.content.value(claim.slot, payloads) if isinstance(claim, Given) else 0

    def _element(self, sort: type[Sort], number: int) -> str:
        return element(sort, number, self.refused.text)

    def _differs(self, difference: Difference) -> str:
        where = f"{self._element(Writer, difference.writer)}'s {self._element(Slot, difference.slot)}"
        machine = self._element(Value, difference.machine)
        text = NOTHING if difference.text is None else self._element(Value, difference.text)
        return f"{self.whose} has {machine} as {where}, the text has {text}"

    @property
    def _slots(self) -> set[int]:
        """The slots that the step is about: up to its last known good ESN a recovery decides nothing."""
        claim, difference = self.refused.claim, self.refused.difference
        if isinstance(claim, Given):
            return {claim.slot}
        decided = {held.slot for held in claim.holdings if held.content.digest is not None}
        return {*claim.of(Slot), *decided} | ({difference.slot} if difference else set())
