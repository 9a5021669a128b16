"""LogDevice, Read path, whole."""

from __future__ import annotations

from typing import Final

from spec.sources.read_path import delivery, gaps, greylisting, overview, placing, reading, reports, statuses
from spec.sources.sentence import Document, Heading

CHAPTERS: Final = (overview, reading, gaps, statuses, reports, placing, delivery, greylisting)
"""The modules in the order of the document."""

HEADINGS: Final[tuple[Heading, ...]] = tuple(heading for chapter in CHAPTERS for heading in chapter.HEADINGS)

READ_PATH: Final = Document(
    "read-path",
    "Read path",
    "LogDevice, Read path: from storage nodes to the application, what a gap means, and what makes reading quick.",
    HEADINGS,
)
"""The whole document."""
