"""Broken refinements of delivery: a step of the machine that is no step of the text, shown with both states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reference_impl.kernel.simulator import Transition
from reference_impl.log.copies import Nodes
from reference_impl.log.lsn import epoch_of, esn_of
from reference_impl.refinement.delivery.following import Refused
from reference_impl.refinement.wording import of_machine
from spec.language.protocol.prose import Prose
from spec.language.protocol.sorts import Sort
from spec.protocols.delivery import Heard, Mode, Recipient
from spec.protocols.delivery_forms import InTransit
from spec.protocols.sorts import Slot


@dataclass(frozen=True)
class Broken:
    """A step that is no step of the text.

    Attributes:
        refused: the step, and where the text was.
        number: its place among all steps of the run, from 1.
        trail: the steps of the machine that lead to it, itself last, where they are known.
    """

    refused: Refused
    number: int
    trail: tuple[Transition, ...] = ()

    @property
    def action(self) -> str:
        """The action of the text that the step would be."""
        return self.refused.action

    @property
    def why(self) -> tuple[str, ...]:
        """What forbids the step, as sentences."""
        refused = self.refused
        if refused.heard is not None:
            return (f"{_nodes(refused.heard)} are no f-majority of the nodeset {_numbers(refused.nodeset)}",)
        clause = InTransit.clauses[refused.action]
        names = {param.var.number: self._named[param.name] for param in clause.params}
        return tuple(Prose(InTransit).say(guard, names) for guard in refused.guards)

    def text(self) -> str:
        """The step of the machine, the state of the text, and what forbids the step, line by line."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        taken, refused = self.refused.taken, self.refused
        yield from of_machine(self.number, self.trail, taken, "of delivery")
        order = ", ".join(map(str, refused.recipients))
        yield f"The text of {self._slot} of log {taken.to[1]}, whose copyset stands in the order {order}:"
        said = list(self._rows())
        yield from (f"  {row}" for row in said or ["nothing has happened"])
        given = ", ".join(f"{name} = {called}" for name, called in self._named.items())
        yield f"The step would be {self.action}" + (f" with {given}:" if given else ":")
        yield f"  {InTransit.clauses[self.action].sentence}"
        yield from (f"  fails: {why}" for why in self.why)

    def _rows(self) -> Iterator[str]:
        for name, relation in InTransit.relations.items():
            for row in sorted(self.refused.state[name]):
                pairs = zip(relation.sorts, row, strict=True)
                yield relation.phrase.format(*(self._element(sort, number) for sort, number in pairs))

    @property
    def _named(self) -> Mapping[str, str]:
        params = InTransit.clauses[self.action].params
        return {
            param.name: self._element(param.var.sort, number)
            for param, number in zip(params, self.refused.args, strict=True)
        }

    @property
    def _slot(self) -> str:
        return f"epoch {epoch_of(self.refused.lsn)} ESN {esn_of(self.refused.lsn)}"

    def _element(self, sort: type[Sort], number: int) -> str:
        if sort is Recipient:
            return f"node {self.refused.recipients[number]}"
        if sort is Slot:
            return self._slot
        if sort is Mode:
            return Mode.constants[number]
        if sort is Heard:
            return "those who went past"
        return f"{sort.__name__.lower()} {number}"


def _nodes(nodes: Nodes) -> str:
    return f"nodes {_numbers(nodes)}" if nodes else "no nodes"


def _numbers(nodes: Nodes) -> str:
    return ", ".join(map(str, sorted(nodes)))
