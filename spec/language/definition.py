"""Definitions: named formulas that rules share, and that proofs and vectors read on their own."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Generic, ParamSpec, TypeVar, get_type_hints

from spec.language.handles import Handle
from spec.language.meaning import Evaluator, Value
from spec.language.parameters import Parameters
from spec.language.refusals import AuthorMistake
from spec.language.terms import Col, Term

P = ParamSpec("P")
H = TypeVar("H", bound=Handle)


class Definition(Generic[P, H]):
    """A formula over its own parameters: call it with handles to use it in a rule.

    Attributes:
        name: the function's name.
        sentence: the first line of its docstring.
        columns: the sort of each parameter.
        term: the formula, with one column for each parameter.
    """

    def __init__(self, function: Callable[P, H]) -> None:
        self.function = function
        self.name = function.__name__
        self.sentence = inspect.cleandoc(function.__doc__ or "").split("\n\n")[0].replace("\n", " ")
        if not self.sentence:
            raise AuthorMistake(f"{self.name} has no docstring", "Its first line says in English what it means")
        hints = get_type_hints(function)
        hints.pop("return", None)
        if not all(isinstance(sort, type) and issubclass(sort, Handle) for sort in hints.values()):
            raise AuthorMistake(
                f"{self.name} has a parameter that is no handle", "Annotate with Bool, Int, Set, Factors"
            )
        self.columns = {name: sort.sort for name, sort in hints.items()}
        read: Callable[..., H] = function
        self.term: Term = read(**{name: sort(Col(name, sort.sort)) for name, sort in hints.items()}).term

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> H:
        """The formula over these handles."""
        return self.function(*args, **kwargs)

    def value(self, parameters: Parameters, values: Mapping[str, Value]) -> Value:
        """What the formula says of plain values: sets as frozensets, a replication property as a mapping."""
        return Evaluator(values, parameters, {}).value(self.term)


def definition(function: Callable[P, H]) -> Definition[P, H]:
    """Read a function over handles once, so that it can be proved, evaluated and printed on its own.

    Raises:
        AuthorMistake: it has no docstring, or a parameter that is no handle.
    """
    return Definition(function)
