"""Files of vectors: JSON objects whose lists hold cases, each with an id of its own."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from conformance.vectors.errors import DamagedVectors, UnknownVectors, VectorsNotReadable

Case: TypeAlias = Mapping[str, Any]
"""One case: its ``id``, its inputs and what is expected."""

DEPTH_MAX: Final = 40

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


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


def files_of(path: Path) -> list[Path]:
    """The files that a path stands for: a folder stands for its own files that end in ``.json``, by name.

    Raises:
        VectorsNotReadable: it is a folder that has none.
    """
    if not path.is_dir():
        return [path]
    if found := sorted(path.glob("*.json")):
        return found
    raise VectorsNotReadable(
        "the folder cannot be read", "it has no file that ends in .json", "check the path", str(path)
    )


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
    except (ValueError, RecursionError) as error:
        # A number of thousands of digits is a ValueError, too, and so is text that is no Unicode.
        raise VectorsNotReadable(
            "the file is no JSON", str(error), "look at the file, or get it again", str(path)
        ) from error
    _refuse_unreasonable(content, path)
    if not isinstance(content, dict) or not _is_cases(content.get("vectors")):
        why = "there is no list 'vectors' of objects at the top"
        raise UnknownVectors(
            "the file holds no vectors", why, "a file such as examples/vectors/f_majority.json", str(path)
        )
    main = tuple(content.pop("vectors"))
    others = tuple(case for cases in content.values() if _is_cases(cases) for case in cases)
    _refuse_bad_ids([*main, *others], path)
    return VectorsFile(path, main, others)


def _refuse_unreasonable(content: object, path: Path) -> None:
    """No part is nested deeper than a person would write it, and every text is one that can be shown."""
    level: list[object] = [content]
    for _ in range(DEPTH_MAX):
        texts = [value for value in level if isinstance(value, str)]
        texts += [name for value in level if isinstance(value, dict) for name in value]
        if broken := [text for text in texts if not text.isascii() and _SURROGATE.search(text)]:
            raise VectorsNotReadable(
                "a text is no Unicode", ascii(broken[0])[:80], "write the character itself", str(path)
            )
        level = [inner for value in level for inner in _inside(value)]
    if level:
        why = f"parts in parts, more than {DEPTH_MAX} deep"
        raise VectorsNotReadable("the file is nested too deep", why, "look at the file, or get it again", str(path))


def _inside(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


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
