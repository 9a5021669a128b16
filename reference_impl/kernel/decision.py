"""Decisions: the points at which a protocol decides. Each has its right answer, and a mutant may give another one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeAlias, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Decision(Generic[P, R]):
    """A point at which the protocol decides.

    Attributes:
        right: how the correct machine decides there.
    """

    def __init__(self, right: Callable[P, R]) -> None:
        self.right, self.__doc__ = right, right.__doc__

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Decide as the correct machine does."""
        return self.right(*args, **kwargs)

    def otherwise(self, wrong: Callable[P, R]) -> Change:
        """This decision, taken in another way."""
        return self, wrong


Change: TypeAlias = tuple[Decision[..., Any], Callable[..., Any]]
"""A decision and what is decided in its place."""


def decision(right: Callable[P, R]) -> Decision[P, R]:
    """Read a function as a decision of the protocol: whoever takes it asks the machine, which may be a mutant's."""
    return Decision(right)
