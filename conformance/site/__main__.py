"""Build the site of this project's documents: ``python -m conformance.site``, below ``build/docs``."""

from __future__ import annotations

from pathlib import Path

from conformance.site.building import build
from spec.registry import FAMILIES

ROOT = Path(__file__).parents[2]

if __name__ == "__main__":
    build(ROOT, ROOT / "build" / "docs", tuple(FAMILIES.values()))
