"""Paths as Spark is told them."""

from __future__ import annotations

import re
from pathlib import Path


def literal(path: Path | str) -> str:
    """A path of one file or folder: what Spark would take for signs of a pattern means itself."""
    return re.sub(r"[\\\[\]{}*?]", r"\\\g<0>", str(path))
