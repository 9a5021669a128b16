"""Shapes: the JSON Schema of published vectors, from what their cases have."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def schema_of(cases: Iterable[Mapping[str, Any]], title: str) -> dict[str, Any]:
    """The schema of a file whose list ``vectors`` holds these cases, and cases like them."""
    return {
        "$schema": DIALECT,
        "title": title,
        "type": "object",
        "required": ["quorate_vectors", "kind", "vectors"],
        "properties": {
            "quorate_vectors": {"type": "string"},
            "kind": {"type": "string"},
            "vectors": {"type": "array", "items": _shape(list(cases))},
        },
    }


def text_of(schema: Mapping[str, Any]) -> str:
    """The schema as text."""
    return json.dumps(schema, indent=1, sort_keys=True) + "\n"


def _shape(values: list[Any]) -> dict[str, Any]:
    """What values have in common."""
    objects = [value for value in values if isinstance(value, Mapping)]
    lists = [value for value in values if isinstance(value, list)]
    rest = [value for value in values if not isinstance(value, Mapping | list)]
    shapes: list[dict[str, Any]] = [{"type": kind} for kind in sorted({_kind(value) for value in rest})]
    if objects:
        shapes.append(_object(objects))
    if lists:
        inside = [one for value in lists for one in value]
        shapes.append({"type": "array"} | ({"items": _shape(inside)} if inside else {}))
    return shapes[0] if len(shapes) == 1 else {"anyOf": shapes}


def _object(objects: list[Mapping[str, Any]]) -> dict[str, Any]:
    names = sorted({name for one in objects for name in one})
    if names and all(_is_data(name) for name in names):
        return {"type": "object", "additionalProperties": _shape([value for one in objects for value in one.values()])}
    return {
        "type": "object",
        "required": [name for name in names if all(name in one for one in objects)],
        "properties": {name: _shape([one[name] for one in objects if name in one]) for name in names},
    }


def _is_data(name: str) -> bool:
    """Whether a name is that of a shard, or a number."""
    return name.isdecimal() or (name[:1] == "N" and name[1:].isdecimal())


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    return {int: "integer", float: "number", str: "string"}[type(value)]
