"""The JSON Schema of lines refuses what the reader refuses of a line by itself, and nothing else (JSON Schema 2020-12).

The judge is a library of others; what only several lines together show is the reader's alone, and listed here.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from conformance.cli import main
from conformance.trace.errors import Inconsistent, TraceError
from conformance.trace.fields import EventShape, by_word, shapes_of
from conformance.trace.header import Header, Recorder
from conformance.trace.header_json import fields_of, header_from_json, header_to_json
from conformance.trace.jsonl import END_LINE, SORTED, read_events
from conformance.trace.rows import Rows
from conformance.trace.schema import FILE, lines, rendered, text
from spec.language.bookkeeping import BOOKS
from spec.log.family import LOG
from spec.segment.family import SEGMENT
from tests.support.damage_lines import LINE_DAMAGES
from tests.support.traces import HEADER, NAMELESS, Event, events, headers, write_small

SCHEMA: Final = Draft202012Validator(lines())
PACKAGED: Final = Path(__file__).parents[3] / "conformance" / "trace" / FILE

OF_SEVERAL_LINES: Final = {
    *("header missing", "header alone", "header twice", "header node twice"),
    *("last lines missing", "line missing", "lines after the end"),
    *("node beyond the topology", "copyset beyond the topology", "ESN too wide"),
    *("recorder unknown", "log unknown", "event twice", "event too many", "events out of order"),
}
"""Damages that no line shows by itself, or that the order of a list of names does."""

OF_SEVERAL_FIELDS: Final = {
    *("replication wider than narrow", "delivery answers for more", "read answers for something"),
    *("acknowledged as it began", "node copied and not copied"),
}
"""Damages that no field shows by itself."""

OF_BYTES: Final = {
    *("file empty", "file of noise", "byte order mark", "header cut", "line cut", "line no JSON", "line no UTF-8"),
    *("line too long", "line nested without end", "number NaN", "number infinite"),
    *("number of 5000 digits", "field twice"),
    *("recorder half a character", "zstd cut", "zstd with a flipped bit", "zstd with noise behind"),
}
"""Damages to bytes, or to text that is no JSON: no object comes of it for a schema to judge."""

WRONG: Final = [None, "1", 1.5, True, 1 << 63, -(1 << 63) - 1, [-1], [1, 1], ["1"], {"shelf": 1}, {"rack": 128}, {}, []]
"""Values that do not fit most fields."""


ANY_LINE: Final = Rows(
    replace(NAMELESS, recorders={**HEADER.recorders, "1": HEADER.recorders["n0"], BOOKS: Recorder(BOOKS, {})})
)
"""What reads under a header that knows any log, a recorder of the name of a wrong value, and books."""

SMALL: Final = Rows(HEADER)
"""What reads the lines of a small trace."""


def schema_of(word: str) -> Draft202012Validator:
    """The schema of lines, as it is for events of one kind: what it says of other kinds only is left out."""
    whole = lines()
    event = whole["$defs"]["event"]
    about = [part for part in event["allOf"] if part["if"]["properties"]["kind"]["const"] == word]
    return Draft202012Validator(whole | {"$defs": whole["$defs"] | {"event": event | {"allOf": about}}})


def is_taken(reader: Rows, line: Event) -> bool:
    """Whether the reader takes each field of an event."""
    try:
        reader.from_json(line)
    except Inconsistent:
        return True
    except TraceError:
        return False
    return True


def test_the_package_has_the_schema_of_today(request: pytest.FixtureRequest) -> None:
    """Run pytest with --rewrite to renew it."""
    if request.config.getoption("--rewrite"):
        PACKAGED.write_text(rendered(), encoding="utf-8")
    assert text() == rendered()


def test_it_is_a_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", "schema"]) == 0
    Draft202012Validator.check_schema(json.loads(capsys.readouterr().out))


def test_it_has_the_fields_of_the_header_that_the_reader_knows() -> None:
    assert set(lines()["$defs"]["header"]["properties"]) == {*fields_of(LOG), SORTED, END_LINE}


@given(headers())
def test_any_header_fits(header: Header) -> None:
    SCHEMA.validate(header_to_json(header))


@given(st.data())
def test_any_event_fits(data: st.DataObject) -> None:
    header = data.draw(headers())
    for event in data.draw(events(header, most=3)):
        SCHEMA.validate(Rows(header).to_json(Rows(header).checked(event)))


@pytest.mark.parametrize("shape", shapes_of(LOG).values(), ids=lambda shape: shape.word)
def test_reader_and_schema_agree_on_wrong_values(shape: EventShape) -> None:
    """Of every field: absent, null, of another type, too large, no set, no factors.

    The whole schema is asked about each field's absence, and about what is no kind; what it says of one kind, of all.
    """
    sound: dict[str, Any] = {"kind": shape.word, "recorder": BOOKS if shape.word in LOG.added else "n0"}
    fitting: dict[str, Any] = {"int": 1, "set": [0, 3], "factors": {"rack": 2}}
    sound |= {field.name: fitting[field.sort] for field in shape.fields}
    assert is_taken(ANY_LINE, sound)
    assert SCHEMA.is_valid(sound)
    schema = schema_of(shape.word)
    for name in sound:
        without = {other: value for other, value in sound.items() if other != name}
        assert SCHEMA.is_valid(without) == is_taken(ANY_LINE, without), without
        for line in (sound | {name: value} for value in WRONG):
            judge = SCHEMA if name == "kind" else schema
            assert judge.is_valid(line) == is_taken(ANY_LINE, line), line


@pytest.mark.parametrize("name", [name for name in LINE_DAMAGES if name not in OF_BYTES])
def test_reader_and_schema_agree_on_damages(tmp_path: Path, name: str) -> None:
    """But for what one line does not show: there the schema takes what the reader refuses."""
    expected, damage = LINE_DAMAGES[name]
    damage(write_small(tmp_path / "sound.jsonl"), tmp_path / "damaged")
    refused = [
        line for line in (tmp_path / "damaged").read_text().splitlines() if not SCHEMA.is_valid(json.loads(line))
    ]
    assert bool(refused) == (expected is not None and name not in OF_SEVERAL_LINES | OF_SEVERAL_FIELDS)
    taken = False
    with suppress(TraceError):
        taken = bool(list(read_events(tmp_path / "damaged")))
    assert taken == (expected is None or name in {"event twice", "events out of order"})


@pytest.mark.parametrize("value", [0, 9, 99, -1])
def test_a_reason_without_a_meaning_is_refused_by_both(value: int) -> None:
    gap = {"kind": "gap", "recorder": "control", "seq": 1, "log": 1, "epoch": 1, "esn": 1, "reader": 1}
    line = gap | {"upto_epoch": 1, "upto_esn": 1, "reason": value}
    assert not SCHEMA.is_valid(line)
    assert not is_taken(SMALL, line)


@pytest.mark.parametrize("names", [None, [], "app", {"app": "1"}, {"01": "app"}, {"1": 1}, {"1": None}, {"-0": "app"}])
@pytest.mark.parametrize("field", ["writers", "readers"])
def test_names_of_clients_that_are_none_are_refused_by_both(field: str, names: object) -> None:
    said = header_to_json(HEADER) | {field: {"1": "app", "-2": "other"}}
    SCHEMA.validate(said)
    assert header_to_json(header_from_json(said)) == said
    assert not SCHEMA.is_valid(said | {field: names})
    with pytest.raises(TraceError):
        header_from_json(said | {field: names})


@pytest.mark.parametrize("server", [1, True, ["n0"], {}])
def test_a_server_without_a_name_is_refused_by_both(server: object) -> None:
    """Who served is a name, or not known."""
    line = {"kind": "erase", "recorder": "n0", "seq": 1, "log": 1, "epoch": 1, "esn": 1, "node": 0}
    for known in ("n0", None):
        assert SCHEMA.is_valid(line | {"served_by": known})
        assert is_taken(SMALL, line | {"served_by": known})
    assert not SCHEMA.is_valid(line | {"served_by": server})
    assert not is_taken(SMALL, line | {"served_by": server})


@pytest.mark.parametrize("promise", [False, -1, 0, "yes", None, 1.5])
def test_a_promise_that_is_none_is_refused_by_both(promise: object) -> None:
    said = header_to_json(HEADER) | {"promises": {"copies": promise}}
    assert not SCHEMA.is_valid(said)
    with pytest.raises(TraceError):
        header_from_json(said)


def test_a_family_of_ones_own_has_a_schema() -> None:
    """Its own header, and its own kinds of event: what it writes is a line of it, and a log's is none."""
    validator = Draft202012Validator(lines(SEGMENT))
    header: dict[str, Any] = {
        "quorate_trace": "1.0",
        "family": "segment",
        "system": {"name": "cesium"},
        "nodes": [],
        "recorders": {},
        "clock_bound_ns": 0,
    }
    assert validator.is_valid(header)
    assert not validator.is_valid({name: value for name, value in header.items() if name != "family"})
    assert not validator.is_valid({"kind": "deliver", "recorder": "r"})
    assert not SCHEMA.is_valid({"kind": next(iter(by_word(SEGMENT))), "recorder": "r"})
