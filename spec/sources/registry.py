"""The sources whose every sentence has an entry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from spec.sources.carriers import Carrier
from spec.sources.sentence import Document, Sentence
from spec.sources.tables import table

NAMES: Final = ("read-path", "single-copy-delivery", "recovery", "segment-distribution", "cluster-metadata-checker")
"""The sources, in reading order."""

DOCUMENTS: Final[dict[str, Document]] = {name: table(name) for name in NAMES}
"""Sources by name."""


class Spot(NamedTuple):
    """Where a sentence stands: its document, its heading, and its number under that."""

    document: str
    heading: str
    number: int
    sentence: Sentence

    def __str__(self) -> str:
        place = ", ".join(filter(None, [self.document, self.heading.rstrip("?"), str(self.number)]))
        return f"{place}: {self.sentence.says}"


def carried_by(carrier: Carrier) -> Iterator[Spot]:
    """The sentences that something carries, in reading order."""
    for document in DOCUMENTS.values():
        for heading in document.headings:
            for number, sentence in enumerate(heading.sentences, start=1):
                if carrier in sentence.by:
                    yield Spot(document.title, heading.title, number, sentence)
