"""The sources whose every sentence has an entry."""

from __future__ import annotations

from typing import Final

from spec.sources.recovery import RECOVERY
from spec.sources.sentence import Document

DOCUMENTS: Final[dict[str, Document]] = {document.name: document for document in (RECOVERY,)}
"""Sources by name, in reading order."""
