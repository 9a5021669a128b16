"""The sources whose every sentence has an entry."""

from __future__ import annotations

from typing import Final

from spec.sources.read_path.document import READ_PATH
from spec.sources.recovery.document import RECOVERY
from spec.sources.sentence import Document
from spec.sources.single_copy_delivery.document import SINGLE_COPY_DELIVERY

DOCUMENTS: Final[dict[str, Document]] = {
    document.name: document for document in (READ_PATH, SINGLE_COPY_DELIVERY, RECOVERY)
}
"""Sources by name, in reading order."""
