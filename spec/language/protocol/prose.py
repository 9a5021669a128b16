"""The prose reading: a protocol text in English.

Phrases come from ``says(...)`` and from the docstrings of definitions; everything else is said by the connectives.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from spec.language.protocol.clauses import Clause, Kind, Progress, conjuncts
from spec.language.protocol.draft import Update, Work
from spec.language.protocol.text import Protocol
from spec.language.terms import Applied, Binder, Bound, Holds, Lit, Member, Named, Op, Quantified, Term

Names: TypeAlias = Mapping[int, str]
"""What each variable is called."""

COMPARED: Final = {"=": "{} is {}", "<>": "{} is not {}", "<": "{} is before {}", "<=": "{} is {} or before it"}
DENIED: Final = {"=": "{} is not {}", "<>": "{} is {}", "<": "{} is {} or after it", "<=": "{} is after {}"}
DRAWN: Final = {"<": "{} before {}", "<=": "{} up to {}"}
DRAWN_ABOVE: Final = {"<": "{} after {}", "<=": "{} from {} on"}
OTHERWISE: Final[dict[Kind, str]] = {"axiom": "Known", "invariant": "Always", "lemma": "Hence", "goal": "Promised"}


class Prose:
    """A protocol's terms and clauses as sentences."""

    def __init__(self, protocol: type[Protocol]) -> None:
        self.protocol = protocol

    def clause(self, clause: Clause) -> Iterator[str]:
        """A clause, line by line: its sentence, then what it says."""
        names = called(clause.params)
        if clause.kind == "definition":
            yield f"{self._phrase(clause, names.values())}: {self.say(clause.body, names)}"
            return
        yield clause.sentence
        yield from (f"  needs: {self.say(guard, names)}" for guard in clause.requires)
        yield from (f"  so: {self.say(fact, names)}" for fact in clause.assumes)
        yield from (f"  then: {self.update(update, names)}" for update in clause.updates)
        if clause.kind in OTHERWISE:
            yield f"  {OTHERWISE[clause.kind].lower()}: {self.say(clause.body, names)}"
        if isinstance(clause, Progress):
            yield f"  wherever: {self.say(clause.start, names)}"
            yield from (f"  work: {self.work(work, names)}" for work in clause.works)
            yield f"  in the end: {self.say(clause.end, names)}"

    def update(self, update: Update, names: Names) -> str:
        """What changes."""
        inner = {**names, **called(update.over)}
        change = self.say(Holds(update.relation, update.row), inner)
        if update.how == "remove":
            change = f"no longer {change}"
        if update.how == "put":
            change += ", and no other"
        head = f"for every {self.over(update.over, inner)}: " if update.over else ""
        return head + change + (f", where {self.say(update.when, inner)}" if update.when is not None else "")

    def work(self, work: Work, names: Names) -> str:
        """What is to be done, and how long."""
        inner = {**names, **called(work.over)}
        head = f"for every {self.over(work.over, inner)}: " if work.over else ""
        call = f"{work.action.replace('_', ' ')} ({', '.join(thing(arg, inner) for arg in work.args)})"
        return f"{head}{call}, {'to the end' if work.left is None else f'where {self.say(work.left, inner)}'}"

    def say(self, term: Term, names: Names) -> str:
        """A formula."""
        match term:
            case Lit(value):
                return "always" if value else "never"
            case Holds(relation, row):
                return self.protocol.relations[relation].phrase.format(*(thing(one, names) for one in row))
            case Applied(name, args):
                return self._phrase(self.protocol.definitions[name], (thing(one, names) for one in args))
            case Member(item, family):
                return f"{thing(item, names)} is in {thing(family, names)}"
            case Op("not", (body,)):
                return self._denied(body, names)
            case Op("and"):
                return " and ".join(self._tight(part, names) for part in conjuncts(term))
            case Op("or", (a, b)):
                return f"{self._tight(a, names)} or {self._tight(b, names)}"
            case Op("implies", (a, b)):
                return f"if {self.say(a, names)}, then {self.say(b, names)}"
            case Op(name, (a, b)):
                return COMPARED[name].format(thing(a, names), thing(b, names))
            case Quantified("some", (Binder(var, _, None),), Holds(_, row) as body) if _leaves_open(row, var):
                return self.say(body, {**names, var.number: "something"})
            case Quantified(kind, over, body):
                inner = {**names, **called(over)}
                return f"for {kind} {self.over(over, inner)}: {self.say(body, inner)}"
            case _:
                raise TypeError(f"{term} is no formula of a protocol text")

    def over(self, binders: tuple[Binder, ...], names: Names) -> str:
        """What variables range over."""
        return ", ".join(drawn(binder, names) for binder in binders)

    def _denied(self, term: Term, names: Names) -> str:
        match term:
            case Op(name, (a, b)) if name in DENIED:
                return DENIED[name].format(thing(a, names), thing(b, names))
            case Quantified("some", (Binder(var, _, None),), Holds(_, row) as body) if _leaves_open(row, var):
                return f"not ({self.say(body, {**names, var.number: 'anything'})})"
            case Quantified("some", over, body):
                inner = {**names, **called(over)}
                return f"for no {self.over(over, inner)}: {self.say(body, inner)}"
            case _:
                return f"not ({self.say(term, names)})"

    @staticmethod
    def _phrase(clause: Clause, args: Iterable[str]) -> str:
        said = dict(zip((param.name for param in clause.params), args, strict=True))
        return clause.sentence.format(**said)

    def _tight(self, term: Term, names: Names) -> str:
        """In brackets where it would run into its neighbour."""
        text = self.say(term, names)
        match term:
            case Quantified() | Op("or" | "implies" | "and", _) | Op("not", (Quantified(),)):
                return f"({text})"
            case _:
                return text


def called(binders: tuple[Binder, ...]) -> dict[int, str]:
    """The names that the author gave."""
    return {binder.var.number: binder.name for binder in binders}


def thing(term: Term, names: Names) -> str:
    """What an element is called."""
    match term:
        case Bound(number, _):
            return names[number]
        case Named(sort, "first"):
            return f"the first {sort.__name__.lower()}"
        case Named(_, name):
            return name
        case _:
            raise TypeError(f"{term} is no element")


def drawn(binder: Binder, names: Names) -> str:
    """What one variable ranges over."""
    name = names[binder.var.number]
    match binder.within:
        case Member(_, family):
            return f"{name} of {thing(family, names)}"
        case Op(op, (Bound(number, _), other)) if number == binder.var.number:
            return DRAWN[op].format(name, thing(other, names))
        case Op(op, (other, _)):
            return DRAWN_ABOVE[op].format(name, thing(other, names))
        case _:
            sort = binder.var.sort.__name__.lower()
            return name if name == sort else f"{sort} {name}"


def _leaves_open(row: tuple[Term, ...], var: Bound) -> bool:
    """Only the last column is open, as where a partial function is defined."""
    return row[-1] == var and var not in row[:-1]
