"""What can be wrong with a file of vectors: each error says what, where, why, and what to try."""

from __future__ import annotations


class VectorsError(Exception):
    """A file of vectors cannot be judged.

    Attributes:
        what: the fault, in one clause.
        why: what is wrong.
        advice: what to try.
        where: the file, and the case in it if there is one.
    """

    def __init__(self, what: str, why: str, advice: str, where: str) -> None:
        super().__init__(what, why, advice, where)
        self.what, self.why, self.advice, self.where = what, why, advice, where

    def __str__(self) -> str:
        return f"{self.where}: {self.what}: {self.why}. Try: {self.advice}."


class VectorsNotReadable(VectorsError):
    """The file is absent, may not be read, or is no JSON text."""


class NoAnswers(VectorsError):
    """A program that is asked about vectors cannot be started, or says nothing that has a meaning."""


class UnknownVectors(VectorsError):
    """The file holds no cases of a kind that is known here."""


class DamagedVectors(VectorsError):
    """A case lacks a part, contradicts itself, or names something that does not exist."""
