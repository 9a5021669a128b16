"""Parts: what nodes open for an iterator or writer, and have to free again."""

from __future__ import annotations

from spec.language.handles import Bool, Set, known


def are_freed(opened: Set, closed: Set, died: Set) -> Bool:
    """Every part that was opened is closed, but for those of nodes that died."""
    left = opened - closed
    return left.is_empty() | (known(died) & (left <= died))
