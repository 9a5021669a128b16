"""Files of vectors: JSON objects whose lists hold cases, each with an id of its own."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from conformance.vectors.errors import DamagedVectors, UnknownVectors, VectorsNotReadable

Case: TypeAlias = Mapping[str, Any]
"""One case: its ``id``, its inputs and what is expected."""


@dataclass(frozen=True)
class VectorsFile:
    """The cases of one file.

    Attributes:
        path: the file.
        main: the cases of the list ``vectors``, which show what kind of file it is.
        others: the cases of the file's other lists.
    """

    path: Path
    main: tuple[Case, ...]
    others: tuple[Case, ...]


def read(path: Path) -> VectorsFile:
    """Read a file of vectors.

    Raises:
        VectorsNotReadable: it cannot be opened, or is no JSON.
        UnknownVectors: it holds no list of cases.
        DamagedVectors: a case has no id, or two have the same.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise VectorsNotReadable(
            "the file cannot be read", error.strerror or "unknown", "check the path", str(path)
        ) from error
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise VectorsNotReadable(
            "the file is no JSON", str(error), "look at the file, or get it again", str(path)
        ) from error
    if not isinstance(content, dict) or not _is_cases(content.get("vectors")):
        why = "there is no list 'vectors' of objects at the top"
        raise UnknownVectors(
            "the file holds no vectors", why, "a file such as examples/vectors/f_majority.json", str(path)
        )
    main = tuple(content.pop("vectors"))
    others = tuple(case for cases in content.values() if _is_cases(cases) for case in cases)
    _refuse_bad_ids([*main, *others], path)
    return VectorsFile(path, main, others)


def _is_cases(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(case, dict) for case in value)


def _refuse_bad_ids(cases: list[Case], path: Path) -> None:
    names = Counter(case.get("id") for case in cases if isinstance(case.get("id"), str))
    if names.total() < len(cases):
        number = next(number for number, case in enumerate(cases) if not isinstance(case.get("id"), str))
        raise DamagedVectors("a case has no id", f"case {number}, from 0", "give it an id of its own", str(path))
    if twice := [name for name, times in names.items() if times > 1]:
        raise DamagedVectors(
            "two cases have one id", ", ".join(map(str, twice)), "give each an id of its own", str(path)
        )


def part(case: Case, name: str, kind: type, where: str) -> Any:
    """A part of a case, of the type that it must have.

    Raises:
        DamagedVectors: it is missing, or of another type.
    """
    if not isinstance(case.get(name), kind):
        why = f"{name!r} is {'missing' if name not in case else f'{case[name]!r}'}, and must be of type {kind.__name__}"
        raise DamagedVectors("a case lacks a part", why, "compare it with examples/vectors/f_majority.json", where)
    return case[name]
