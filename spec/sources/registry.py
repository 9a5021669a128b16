"""The sources whose every sentence has an entry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from spec.sources.carriers import Carrier
from spec.sources.read_path.document import READ_PATH
from spec.sources.recovery.document import RECOVERY
from spec.sources.sentence import Document, Sentence
from spec.sources.single_copy_delivery.document import SINGLE_COPY_DELIVERY

DOCUMENTS: Final[dict[str, Document]] = {
    document.name: document for document in (READ_PATH, SINGLE_COPY_DELIVERY, RECOVERY)
}
"""Sources by name, in reading order."""


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
