"""The glossary speaks of the trace as it is: what it says stands there does exist.

Justified by the house rule that terms are those of the field, which a reader must be able to look up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from conformance.trace.fields import COMMON, shapes_of
from spec.language.orders import POSITIONS
from spec.log.family import LOG
from spec.promises import PROMISES

GLOSSARY = Path(__file__).parent.parent / "docs" / "reference" / "glossary.md"
IN_A_TRACE = 2
SYSTEMS = ["LogDevice", "BookKeeper", "Kafka", "Raft", "Synnax"]
CODE = re.compile(r"`(\w+)`")


def tables() -> Iterator[list[list[str]]]:
    """The cells of each table, heading first."""
    for table in re.findall(r"(?:^\|.*\n)+", GLOSSARY.read_text(), flags=re.MULTILINE):
        rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines()]
        yield [rows[0], *rows[2:]]


def test_every_row_names_the_term_in_all_systems() -> None:
    for heading, *rows in tables():
        assert heading in (["term", "meaning"], ["term", "meaning", "in a trace", *SYSTEMS])
        assert [row for row in rows if len(row) != len(heading) or not all(row)] == []


def test_what_stands_in_a_trace_exists() -> None:
    known = {shape.word for shape in shapes_of(LOG).values()} | {*COMMON, *POSITIONS, *PROMISES}
    known |= {field.name for shape in shapes_of(LOG).values() for field in shape.fields}
    named = {
        name
        for heading, *rows in tables()
        if len(heading) > IN_A_TRACE
        for row in rows
        for name in CODE.findall(row[2])
    }
    assert named - known == set()


def test_terms_stand_once() -> None:
    terms = [row[0] for _, *rows in tables() for row in rows]
    assert sorted(terms) == sorted(set(terms))
