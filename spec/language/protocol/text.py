"""A protocol text: one class. Defining the class reads each clause once and refuses what the language does not have."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Generic, ParamSpec, TypeVar, cast, get_args, get_origin, get_type_hints

from spec.language.handles import Bool
from spec.language.protocol.clauses import Clause, Kind, Progress
from spec.language.protocol.reading import read
from spec.language.protocol.relations import Relation
from spec.language.protocol.sorts import Sort
from spec.language.refusals import AuthorMistake
from spec.language.terms import Applied, Bound, Named

F = TypeVar("F", bound=Callable[..., Any])
P = ParamSpec("P")


def _marks(kind: Kind) -> Callable[[F], F]:
    def mark(function: F) -> F:
        cast("Any", function).kind = kind
        return function

    return mark


action = _marks("action")
"""Marks what may happen: guards by ``require``, then updates of relations, all at once."""

invariant = _marks("invariant")
"""Marks a formula that holds in every state, for all values of its parameters, and helps to prove that it does."""

lemma = _marks("lemma")
"""Marks a formula that follows from the invariants and the lemmas above it: a step in the proof of what is hard."""

goal = _marks("goal")
"""Marks a formula that the protocol is there to keep true; it follows from the invariants."""

progress = _marks("progress")
"""Marks what comes in the end: names the ``work`` that leads there, and returns ``leads(..., to=...)``."""

axiom = _marks("axiom")
"""Marks a formula that holds of the sorts themselves, such as that certain sets meet."""


class _TextDefinition(Generic[P]):
    """Called inside a text, a definition stays a name; readings unfold it."""

    def __init__(self, function: Callable[..., Bool]) -> None:
        self.function = function

    def __get__(self, text: Protocol, owner: type[Protocol]) -> Callable[..., Bool]:
        def apply(*args: Sort) -> Bool:
            name = self.function.__name__
            if inspect.getattr_static(type(text), name) is not self:
                return self.function(text, *args)  # super().name(...): the overridden form, spelt out
            clause = text.defined(name)
            if tuple(type(arg) for arg in args) != clause.sorts:
                given = ", ".join(type(arg).__name__ for arg in args)
                wanted = ", ".join(sort.__name__ for sort in clause.sorts)
                raise AuthorMistake(f"{name}({wanted}) was given ({given})", "Give one element of each sort, in order")
            return Bool(Applied(name, tuple(arg.term for arg in args)))

        return apply


def define(function: Callable[P, Bool]) -> Callable[P, Bool]:
    """Mark a formula with a name; the first line of its docstring is its phrase, with ``{member}`` for a parameter."""
    return cast("Callable[P, Bool]", _TextDefinition(function))


class Protocol:
    """Subclass it: annotations are the state, marked methods are the clauses, ``self`` is the state before the action.

    A variant is a subclass that overrides methods; it inherits all else.

    Attributes:
        relations: the state, by name.
        definitions: the named formulas.
        clauses: the actions, invariants, lemmas, goals, progress and axioms.
    """

    relations: ClassVar[dict[str, Relation[Any]]] = {}
    definitions: ClassVar[dict[str, Clause]] = {}
    clauses: ClassVar[dict[str, Clause]] = {}

    def __init_subclass__(cls) -> None:
        cls.relations = dict(_relations(cls))
        cls.definitions, cls.clauses = {}, {}
        state = cls()
        vars(state).update(cls.relations)
        for name, found in _members(cls):
            if isinstance(found, _TextDefinition):
                state.defined(name)
            else:
                cls.clauses[name] = read(state, found.kind, found)
        for one in cls.progresses():
            _does_actions(cls, one)

    def defined(self, name: str) -> Clause:
        """A definition, read when it is first used.

        Raises:
            AuthorMistake: it refers to itself.
        """
        if name not in self.definitions:
            found = inspect.getattr_static(type(self), name)
            reading = vars(self).setdefault("_reading", [])
            if name in reading:
                raise AuthorMistake(
                    f"{name} refers to itself", "A definition stands for a formula: unfold the recursion"
                )
            reading.append(name)
            self.definitions[name] = read(self, "definition", found.function)
            reading.remove(name)
        return self.definitions[name]

    @classmethod
    def of_kind(cls, kind: Kind) -> list[Clause]:
        """The clauses of one kind, in the order of the text."""
        return [clause for clause in cls.clauses.values() if clause.kind == kind]

    @classmethod
    def progresses(cls) -> list[Progress]:
        """The clauses on what comes in the end, in the order of the text."""
        return [clause for clause in cls.clauses.values() if isinstance(clause, Progress)]

    @classmethod
    def for_goal(cls, name: str) -> type[Protocol]:
        """This text with one of its goals only: what else it breaks does not matter.

        Raises:
            KeyError: it has no such goal.
        """
        goal = cls.clauses[name]
        only: type[Protocol] = type(cls.__name__, (cls,), {"__doc__": cls.__doc__, "__module__": cls.__module__})
        others = {one.name for one in cls.of_kind("goal")} - {goal.name}
        only.clauses = {one: clause for one, clause in cls.clauses.items() if one not in others}
        return only

    @classmethod
    def sorts(cls) -> tuple[type[Sort], ...]:
        """Every sort that the text speaks of, in order of first mention."""
        columns = [sort for relation in cls.relations.values() for sort in relation.sorts]
        params = [sort for clause in (*cls.definitions.values(), *cls.clauses.values()) for sort in clause.sorts]
        return tuple(dict.fromkeys([*columns, *params]))


def _relations(text: type[Protocol]) -> Iterator[tuple[str, Relation[Any]]]:
    for name, hint in get_type_hints(text).items():
        made = get_origin(hint)
        if isinstance(made, type) and issubclass(made, Relation):
            yield name, made(name, get_args(hint), getattr(text, name, f"{name}({{0}} ...)"))


def _does_actions(text: type[Protocol], progress: Progress) -> None:
    """Refuse work that is no action of the text, or is given elements of other sorts than the action takes."""
    for work in progress.works:
        found = text.clauses.get(work.action)
        given = tuple(arg.sort for arg in work.args if isinstance(arg, Bound | Named))
        if found is None or found.kind != "action" or found.sorts != given:
            said = ", ".join(sort.__name__ for sort in given)
            raise AuthorMistake(
                f"the work {work.action}({said}) is no action of {text.__name__}",
                "Name an action of the text, and give it one element of each of its sorts, in order",
                progress.where,
            )


def _members(text: type[Protocol]) -> Iterator[tuple[str, Any]]:
    """Definitions and clauses, those of base classes first, each in its latest form.

    Raises:
        AuthorMistake: a method replaces a clause and has lost its mark.
    """
    names = dict.fromkeys(name for base in reversed(text.__mro__[:-2]) for name in vars(base))
    for name in names:
        found = inspect.getattr_static(text, name)
        kinds = [getattr(vars(base)[name], "kind", "") for base in text.__mro__ if name in vars(base)]
        if isinstance(found, _TextDefinition) or hasattr(found, "kind"):
            yield name, found
        elif any(kinds):
            raise AuthorMistake(
                f"{text.__name__}.{name} replaces a clause without a mark", f"Mark it @{max(kinds)} too"
            )
