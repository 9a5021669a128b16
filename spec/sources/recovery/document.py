"""LogDevice, Recovery after the failure of a sequencer, whole."""

from __future__ import annotations

from typing import Final

from spec.sources.recovery import activation, example, promises
from spec.sources.sentence import Document

RECOVERY: Final = Document(
    "recovery",
    "Recovery",
    "LogDevice, Recovery after the failure of a sequencer: two steps, what they promise, and an example.",
    (*activation.HEADINGS, *promises.HEADINGS, *example.HEADINGS),
)
"""The whole document."""
