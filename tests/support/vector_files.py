"""Files of vectors for tests: written, judged, damaged, and shaken."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from conformance.vectors.errors import VectorsError
from conformance.vectors.run import run

Case = dict[str, Any]

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


def judged(folder: Path, *cases: Case, **others: list[Case]) -> list[str]:
    """What the report on a file of these cases says; each gets an id of its own unless it has one."""
    path = folder / "mine.json"
    numbered = [{"id": f"case-{number}"} | case for number, case in enumerate(cases)]
    path.write_text(json.dumps({"vectors": numbered, **others}), encoding="utf-8")
    return list(run([path]).lines())


def shake(folder: Path, data: st.DataObject, *cases: Case) -> None:
    """Put any value in place of any other: the case is judged, or refused by name."""
    case = deepcopy(data.draw(st.sampled_from(cases)))
    *way, last = data.draw(st.sampled_from(list(_places(case))))
    inside: Any = case
    for step in way:
        inside = inside[step]
    inside[last] = data.draw(JSON_VALUES)
    with suppress(VectorsError):
        assert judged(folder, case)


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value below this one."""
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in below:
        yield (*path, key)
        yield from _places(inner, (*path, key))
