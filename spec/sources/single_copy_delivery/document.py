"""LogDevice, Single Copy Delivery, whole."""

from __future__ import annotations

from typing import Final

from spec.sources.sentence import Document
from spec.sources.single_copy_delivery import failing_over, local, primary, stages

SINGLE_COPY_DELIVERY: Final = Document(
    "single-copy-delivery",
    "Single copy delivery",
    "LogDevice, Single Copy Delivery: one node sends each record, and what is done when it does not.",
    (*primary.HEADINGS, *failing_over.HEADINGS, *stages.HEADINGS, *local.HEADINGS),
)
"""The whole document."""
