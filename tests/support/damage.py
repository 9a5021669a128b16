"""Every damage that a trace may suffer, for tests that none of them is ever judged as if nothing had happened.

Each function reads a sound trace in plain JSON lines and writes the damaged one, in whatever form, to another path.
"""

from __future__ import annotations

from typing import Final

from tests.support.damage_lines import LINE_DAMAGES, Damage, Expected
from tests.support.damage_parquet import PARQUET_DAMAGES

_ALL: Final = LINE_DAMAGES | PARQUET_DAMAGES

DAMAGES: Final[list[tuple[str, Damage]]] = [(name, damage) for name, (_, damage) in _ALL.items()]
"""The damages by name."""

EXPECTED: Final[dict[str, Expected]] = {name: expected for name, (expected, _) in _ALL.items()}
"""The error that names each; None where the trace stays readable, with one more value unknown in it."""
