"""An installed package: its entry points lie where pip leaves them, and nobody has loaded any."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from spec.registry import BY_ID, FAMILIES

COUNTERS: Final = {
    "quorate.families": {"counters": "examples.counters:COUNTERS"},
    "quorate.texts": {"counting": "examples.counters.text:COUNTING"},
    "quorate.abstractions": {"counters": "examples.counters.following:FOLLOWED"},
    "quorate.simulations": {"counters": "examples.counters.following:SIMULATED"},
}
"""What ``docs/how-to/declare-a-family.md`` has the example's package offer."""


@contextmanager
def installed(folder: Path, offers: Mapping[str, Mapping[str, str]]) -> Iterator[None]:
    """Install a package of these entry points for the length of a block; what it makes known is forgotten then."""
    about = folder / "offering-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: offering\nVersion: 1.0\n")
    sections = (
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in named.items())
        for group, named in offers.items()
    )
    (about / "entry_points.txt").write_text("\n".join(sections))
    families, rules = set(FAMILIES), set(BY_ID)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name in FAMILIES.keys() - families:
            del FAMILIES[name]
        for name in BY_ID.keys() - rules:
            del BY_ID[name]
