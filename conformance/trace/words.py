"""The words that a header may say of its recorders, and what each means."""

from __future__ import annotations

from typing import Final

COMPLETENESS: Final[dict[str, str]] = {
    "complete": "every event of the kind that it could see since the system began is in the trace",
    "partial": "some may be missing",
}
"""How many events of a kind a recorder writes down; what it does not record at all, its list does not name."""
