"""What can be wrong with what a ledger is described by: each error says what, where, why, and what to try."""

from __future__ import annotations


class LedgerError(ValueError):
    """Something that describes a ledger is not as such things are.

    Attributes:
        what: the fault, in one clause.
        where: the text or bytes, and the place in them.
        why: what is wrong there.
        advice: what to try.
    """

    def __init__(self, what: str, where: str, why: str, advice: str) -> None:
        super().__init__(what, where, why, advice)
        self.what, self.where, self.why, self.advice = what, where, why, advice

    def __str__(self) -> str:
        return f"{self.where}: {self.what}: {self.why}. Try: {self.advice}."


class Truncated(LedgerError):
    """It ends before it is complete."""


class TooLarge(LedgerError):
    """It is larger than anything of its kind can be, or than whoever reads it asked for."""


class UnknownVersion(LedgerError):
    """Its version is none that is known here."""


class Malformed(LedgerError):
    """Its parts are not as its form has them."""


class BadLedger(LedgerError):
    """It can be read, but no ledger is like that."""


class CannotCarry(LedgerError):
    """A form has no place for something that is to be written in it."""


class CannotChange(LedgerError):
    """The metadata is in a state, or names bookies, from which this change does not start."""
