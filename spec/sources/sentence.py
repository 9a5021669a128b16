"""Entries of the tables: a sentence of a source, what it comes to, and who carries it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from spec.sources.carriers import Carrier


class Kind(StrEnum):
    """What a sentence is for."""

    DEMAND = "demand"
    """It says what a system does, or must not do."""
    DEFINITION = "definition"
    """It says what a word means."""
    EXAMPLE = "example"
    """It shows a case with its numbers: it demands by being executable."""
    ASIDE = "aside"
    """It demands nothing."""


NAVIGATION: Final = "leads the reader elsewhere"
PICTURE: Final = "a picture of what the text around it says"
LEAD: Final = "introduces the sentences that follow, which carry it"
MOTIVE: Final = "says why, not what"
REMARK: Final = "says how often, how well or how things are run, not what a system does"
"""Why a sentence demands nothing."""


@dataclass(frozen=True)
class Difference:
    """How something is meant or shipped that is not as a sentence says.

    Attributes:
        says: how it is, in our words.
        by: what shows it: the variant of a rule, a test, a counter-model.
        cite: where in the system's code it is found, for what is not modelled here.
    """

    says: str
    by: tuple[Carrier, ...] = ()
    cite: str = ""


@dataclass(frozen=True)
class Sentence:
    """One sentence of a source.

    Attributes:
        digest: six hexadecimal digits of the sentence's words, by which it is recognised.
        says: what it comes to, in our words.
        kind: what it is for.
        by: what carries it.
        because: why it demands nothing, where it does not.
        differs: how it is meant or shipped, where that is not what it says.
    """

    digest: str
    says: str
    kind: Kind
    by: tuple[Carrier, ...] = ()
    because: str = ""
    differs: Difference | None = None

    @property
    def is_carried(self) -> bool:
        """Something that can fail holds systems to it, or it demands nothing."""
        return self.kind is Kind.ASIDE or any(carrier.can_fail for carrier in self.by)


@dataclass(frozen=True)
class Heading:
    """The sentences under one heading, in order; the title is empty for what stands before the first."""

    title: str
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True)
class Document:
    """A source.

    Attributes:
        name: by which its page is called.
        title: what it calls itself.
        about: what it is, in one line.
        headings: its sentences, under their headings.
        is_carried: what binds is carried, all of it; else its chapters are still to be written.
    """

    name: str
    title: str
    about: str
    headings: tuple[Heading, ...]
    is_carried: bool = True

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """All sentences, in order."""
        return tuple(sentence for heading in self.headings for sentence in heading.sentences)
