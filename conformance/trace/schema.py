"""The JSON Schema of the lines of a trace, derived from the vocabulary: for adapters in any language, and for editors.

It judges each field of a line by itself. What takes other lines (whether a recorder or partition is declared, how many
members there are, how wide a position is, whether an event stands twice) is `quorate trace validate`'s to judge, and so
is whether the fields of one event contradict each other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from conformance.trace.fields import PAYLOAD, SERVED_BY, EventShape, FieldShape, by_word, narrower
from conformance.trace.header import MAX_MEMBERS
from conformance.trace.header_json import VERSION_KEY
from conformance.trace.header_schema import Schema, header, whole
from conformance.trace.jsonl import END
from conformance.trace.typed import HIGH, LOW
from spec.language.bookkeeping import BOOKS
from spec.language.family import Family
from spec.language.limits import bounds_of
from spec.language.parameters import FACTOR_BITS, Parameters
from spec.language.scopes import SCOPES
from spec.registry import DEFAULT

FILE: Final = "schema.json"

LOW_BITS: Final = (1, 62)
"""The fewest and the most bits that the low part of a position may have."""


@cache
def widest(family: Family) -> Mapping[str, tuple[int, int]]:
    """The least and the greatest number of each column, whatever a header says."""
    spans = [bounds_of(family.events, Parameters(size=MAX_MEMBERS, low_bits=bits)) for bits in LOW_BITS]
    return {
        column: (min(span[column][0] for span in spans), max(span[column][1] for span in spans)) for column in spans[0]
    }


def text() -> str:
    """The schema as it stands in the package."""
    return files("conformance.trace").joinpath(FILE).read_text(encoding="utf-8")


def rendered(family: Family = DEFAULT) -> str:
    """The schema of a family's traces as its vocabulary is now."""
    return json.dumps(lines(family), indent=1, ensure_ascii=False) + "\n"


def lines(family: Family = DEFAULT) -> Schema:
    """The schema of any line: the header, an event, or the count of events at the end."""
    words = list(by_word(family))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:quorate:trace:1.0" + ("" if family is DEFAULT else f":{family.name}"),
        "title": "A line of a trace",
        "description": "The first line is the header; every other is an event, and the last may count them.",
        "type": "object",
        "if": {"required": [VERSION_KEY]},
        "then": {"$ref": "#/$defs/header"},
        "else": {"if": {"required": [END]}, "then": {"$ref": "#/$defs/end"}, "else": {"$ref": "#/$defs/event"}},
        "$defs": {
            "header": header(family, DEFAULT),
            "end": {"properties": {END: {"description": "how many events there are", **whole(0, HIGH)}}},
            "event": {
                "required": ["kind", "recorder"],
                "properties": {
                    "kind": {"description": "what happened", "enum": words},
                    "recorder": {"description": "who saw it, by a name of the header", "type": "string"},
                    PAYLOAD: {"description": "the payload, for people; no rule reads it", "type": ["string", "null"]},
                    SERVED_BY: {
                        "description": "who gave a client this answer, for people; no rule reads it",
                        "type": ["string", "null"],
                    },
                },
                "allOf": [
                    {
                        "if": {"required": ["kind"], "properties": {"kind": {"const": word}}},
                        "then": {"$ref": f"#/$defs/{word}"},
                    }
                    for word in words
                ],
            },
            **{
                universe.section: {
                    "description": f"a set of {universe.section}, by their places in the header's list, from 0",
                    "type": "array",
                    "items": whole(0, MAX_MEMBERS - 1),
                    "uniqueItems": True,
                }
                for universe in family.listed
            },
            "factors": {
                "description": "how many copies there are to be across the domains of each location scope",
                "type": "object",
                "propertyNames": {"enum": list(SCOPES)},
                "additionalProperties": whole(0, (1 << FACTOR_BITS - 1) - 1),
                "anyOf": [{"required": [scope], "properties": {scope: {"minimum": 1}}} for scope in SCOPES],
            },
            **{word: event(shape, family) for word, shape in by_word(family).items()},
        },
    }


def event(shape: EventShape, family: Family) -> Schema:
    """The schema of the fields of one kind of event."""
    fields = {field.name: {"description": field.what, **value(field, family)} for field in shape.fields}
    return {
        "description": shape.what,
        "required": [field.name for field in shape.fields if not field.optional],
        "properties": {
            "recorder": {"const": BOOKS} if shape.word in family.added else {"not": {"const": BOOKS}},
            **fields,
        },
    }


def value(field: FieldShape, family: Family) -> Schema:
    """The schema of one field; one that may be unknown may be null."""
    if field.sort == "int":
        number = whole(*(narrower(field.bounds, widest(family).get(field.column)) or (LOW, HIGH)))
        return number | {"type": ["integer", "null"]} if field.optional else number
    named = {"$ref": f"#/$defs/{'factors' if field.universe is None else field.universe.section}"}
    return {"anyOf": [named, {"type": "null"}]} if field.optional else named
