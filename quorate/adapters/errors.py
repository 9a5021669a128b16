"""What can be wrong with an adapter, rather than with its log: each error says what, where, why, and what to try."""

from __future__ import annotations


class AdapterError(Exception):
    """An adapter cannot be used, so nothing is said of its log.

    Attributes:
        what: the fault, in one clause.
        why: what is wrong with it.
        advice: what to try.
        where: the adapter, and what it was asked.
    """

    def __init__(self, what: str, why: str, advice: str, where: str = "adapter") -> None:
        super().__init__(what, why, advice, where)
        self.what, self.why, self.advice, self.where = what, why, advice, where

    def __str__(self) -> str:
        return f"{self.where}: {self.what}: {self.why}. Try: {self.advice}."


class NoSuchAdapter(AdapterError):
    """What was named as an adapter cannot be found, imported or started."""


class NotAnAdapter(AdapterError):
    """It lacks what every adapter has, or says of itself what no adapter can be."""


class AdapterNonsense(AdapterError):
    """It said something that the protocol has no meaning for."""


class AdapterFailed(AdapterError):
    """It raised an error that says nothing about its log, or says so itself."""


class AdapterUnavailable(AdapterError):
    """What it needs cannot be had here: a package, a program or a runtime."""


class AdapterDied(AdapterError):
    """Its process ended while it was needed."""


class AdapterSilent(AdapterError):
    """Its process gave no answer in time."""
