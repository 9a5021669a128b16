"""The JSON Schema of a trace's header: what each of its fields says, and what it may hold."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from conformance.trace.fields import by_word
from conformance.trace.header import MAX_MEMBERS, MAX_TIME, VERSION, low_bits_of
from conformance.trace.header_json import VERSION_KEY, number_pattern
from conformance.trace.jsonl import END_LINE, SORTED
from conformance.trace.words import COMPLETENESS
from spec.language.bookkeeping import BOOKS
from spec.language.family import Family
from spec.language.scopes import SCOPES
from spec.language.universes import Universe

Schema: TypeAlias = dict[str, Any]

TEXT: Final[Schema] = {"type": "string"}


def whole(low: int, high: int) -> Schema:
    """A whole number."""
    return {"type": "integer", "minimum": low, "maximum": high}


def header(family: Family, default: Family) -> Schema:
    """The schema of the header line of a family's traces; those of the default one need not say of which they are."""
    order, added = family.events.sorted_by, family.added
    place = order.position.called or order.place
    return {
        "description": "what was recorded, where, by whom, how completely, and what the system promises",
        "required": [
            VERSION_KEY,
            "system",
            *(universe.section for universe in family.listed),
            "recorders",
            "clock_bound_ns",
            *(() if family is default else ("family",)),
        ],
        "properties": {
            VERSION_KEY: {
                "description": "version of the format, major and minor; a minor version only adds fields",
                "type": "string",
                "pattern": rf"^{VERSION[0]}\.[0-9]{{1,6}}$",
            },
            SORTED: {
                "description": f"events stand in the order of {order.partition}, {place} and `{order.own}`",
                "type": "boolean",
            },
            END_LINE: {"description": "a last line counts the events", "type": "boolean"},
            "system": {
                "description": "what was recorded",
                **_object({"name": TEXT, "version": TEXT}, "name"),
            },
            **{universe.section: _section(universe) for universe in family.universes},
            "recorders": {
                "description": "who writes events down, by name: its role, and of which kinds it records all or some",
                **_mapping(
                    None,
                    _recorder(
                        [role for role in family.roles if role != BOOKS],
                        [word for word in by_word(family) if word not in added],
                    ),
                ),
                **({"properties": {BOOKS: _recorder([BOOKS], list(added))}} if added else {}),
            },
            "clock_bound_ns": {
                "description": "the most by which two recorders' clocks may differ; 0 if they share one",
                **whole(0, MAX_TIME),
            },
            low_bits_of(family): {
                "description": f"how many low bits of `{order.place}` are its low part, from 1 to 62; 32 if not said",
                **whole(1, 62),
            },
            "promises": {"description": "what the system promises: true, or a number", **_promises(family)},
            "family": {
                "description": f"which family it is, by name: `{default.name}` if not said; packages declare others",
                **(TEXT if family is default else {"const": family.name}),
            },
            "note": {"description": "anything that people should read beside a verdict", **TEXT},
        },
    }


def _promises(family: Family) -> Schema:
    return _mapping(list(family.promises), {"anyOf": [{"const": True}, {"type": "integer", "minimum": 1}]})


def _object(properties: Schema, *required: str) -> Schema:
    return {"type": "object", "required": list(required), "properties": properties}


def _mapping(names: list[str] | Schema | None, value: Schema) -> Schema:
    """An object with names of these words, or of any; all with values of one schema."""
    said: Schema = {} if names is None else {"propertyNames": {"enum": names} if isinstance(names, list) else names}
    return {"type": "object", **said, "additionalProperties": value}


def _section(universe: Universe) -> Schema:
    """What the header says of a universe: all of its members, or the names of some of its numbers."""
    if not universe.listed:
        pattern = f"^{number_pattern(universe)}$"
        return {"description": universe.what, **_mapping({"pattern": pattern}, TEXT)}
    location = _mapping(list(SCOPES[1:]), TEXT | {"minLength": 1})
    member = _object({"name": TEXT, "location": location}, "name")
    return {"description": universe.what, "type": "array", "maxItems": MAX_MEMBERS, "items": member}


def _recorder(roles: list[str], words: list[str]) -> Schema:
    records = _mapping(words, {"enum": list(COMPLETENESS)})
    return _object({"role": {"enum": roles}, "records": records}, "role", "records")
