"""What somebody may have meant who wrote a name that is not known."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

SHOWN_MAX: Final = 3
"""So many names at most are proposed."""

ALIKE: Final = 0.4
"""How alike names must be, from 0 to 1."""


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """A question with the known names that are nearly the same; without any, other advice, or all that are known."""
    names = list(known)
    near = get_close_matches(name, names, n=SHOWN_MAX, cutoff=ALIKE)
    return f"did you mean {' or '.join(near)}?" if near else otherwise or f"there are {', '.join(names)}"
