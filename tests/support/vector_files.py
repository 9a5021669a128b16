"""Files of vectors for tests: written, judged, damaged, and shaken."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from conformance.vectors.errors import VectorsError
from conformance.vectors.run import run

Case = dict[str, Any]

HOSTILE: tuple[Any, ...] = (
    *(0, -1, 65536, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 63) - 1, 1 << 64, 10**400, 1e308, 0.5),
    *(
        "",
        "N0",
        "N99999",
        "e1n1",
        "e9n99999999999",
        "LSN_MAX",
        "all",
        "*",
        "x" * 5000,
        "9" * 5000,
        "a.b.c.d.e.f",
        "\u0663",
    ),
    *([], [[]], {}, {"": None}, {"1": 1}, {"9" * 5000: 1}, {"NODE": 0}, {"REGION": 3}),
    json.loads("[" * 30 + "]" * 30),
)
"""Values that some part of some case cannot have: out of range, of another kind, huge, or nested deeply."""

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


def judged(folder: Path, *cases: Case, **others: list[Case]) -> list[str]:
    """What the report on a file of these cases says; each gets an id of its own unless it has one."""
    path = folder / "mine.json"
    numbered = [{"id": f"case-{number}"} | case for number, case in enumerate(cases)]
    path.write_text(json.dumps({"vectors": numbered, **others}), encoding="utf-8")
    return list(run([path]).lines())


def refusal(folder: Path, *cases: Case, **others: list[Case]) -> str:
    """Why the only case that is refused of a file of these cases is; it stands in the report with what to try."""
    (refused,) = (line for line in judged(folder, *cases, **others) if ". Try: " in line)
    assert ", case " in refused
    return refused


def shake(folder: Path, data: st.DataObject, *cases: Mapping[str, Any], main: Sequence[Case] = ()) -> None:
    """Damage one part of a case, which may be in a list beside a main one: it is judged, or refused by name."""
    case = deepcopy(dict(data.draw(st.sampled_from(cases))))
    *way, last = data.draw(st.sampled_from(list(_places(case))))
    inside: Any = case
    for step in way:
        inside = inside[step]
    data.draw(st.sampled_from(DAMAGES))(inside, last, data)
    with suppress(VectorsError):
        assert judged(folder, *main, beside=[case]) if main else judged(folder, case)


def _replaced(inside: Any, last: Any, data: st.DataObject) -> None:
    inside[last] = data.draw(JSON_VALUES | st.sampled_from(HOSTILE))


def _dropped(inside: Any, last: Any, _: st.DataObject) -> None:
    del inside[last]


def _doubled(inside: Any, last: Any, _: st.DataObject) -> None:
    """A member twice in its list, or a part under a second name."""
    if isinstance(inside, list):
        inside.append(deepcopy(inside[last]))
    else:
        inside["again"] = deepcopy(inside[last])


def _renamed(inside: Any, last: Any, data: st.DataObject) -> None:
    if isinstance(inside, dict):
        inside[data.draw(st.sampled_from(["", "0", "N7", "9" * 5000]) | st.text(max_size=5))] = inside.pop(last)


DAMAGES = (_replaced, _replaced, _dropped, _doubled, _renamed)


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value below this one."""
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in below:
        yield (*path, key)
        yield from _places(inner, (*path, key))
