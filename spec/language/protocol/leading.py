"""What comes in the end: the words in which a clause marked ``@progress`` says where it leads, and by what work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVarTuple

from spec.language.handles import Bool, as_term
from spec.language.protocol.draft import Work, draft
from spec.language.refusals import AuthorMistake
from spec.language.terms import Op, Term

Sorts = TypeVarTuple("Sorts")


@dataclass(frozen=True)
class Leads:
    """Wherever ``start`` is true, ``end`` becomes true later, or is already."""

    start: Term
    end: Term

    @property
    def awaited(self) -> Term:
        """It has begun and not ended."""
        return Op("and", (self.start, Op("not", (self.end,))))


def leads(start: Bool, *, to: Bool) -> Leads:
    """What a clause marked ``@progress`` returns: from where to where it leads."""
    return Leads(as_term(start, "bool"), as_term(to, "bool"))


def work(action: Callable[[*Sorts], None], *args: *Sorts, left: Bool | None = None) -> None:
    """This action is done in the end, where it can be done for ever; it is to be done as long as ``left`` holds.

    One kind of work comes after the other: what is left of a kind may grow only while something is left of a kind
    before it. The last has no ``left``: it is to be done until the end is reached, and reaches it.

    Raises:
        AuthorMistake: it stands in another clause than one marked ``@progress``, or names no action.
    """
    clause = draft()
    if not clause.leads:
        raise AuthorMistake("work is named by a clause that leads nowhere", "Only a clause marked @progress names work")
    if getattr(action, "kind", None) != "action":
        raise AuthorMistake(f"{action} is work and no action", "Write work(self.name, ...) of a method marked @action")
    handles: tuple[Any, ...] = args
    condition = None if left is None else as_term(left, "bool")
    clause.works.append(Work(action.__name__, tuple(handle.term for handle in handles), condition))
