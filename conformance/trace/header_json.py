"""The header as JSON: the first line of JSON lines, and one entry in the metadata of Parquet."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, Literal

from conformance.trace.errors import Mistyped, UnknownFamily, UnknownVersion
from conformance.trace.header import MAX_TIME, VERSION, Header, Member, Recorder, System, low_bits_of
from conformance.trace.typed import mapping, number, required, sequence, text
from spec.language.family import Family
from spec.language.universes import Universe
from spec.language.well_declared import HEADER
from spec.registry import DEFAULT, NoSuchFamily, family_named

VERSION_KEY: Final = "quorate_trace"
"""The field that makes a JSON object the header of a trace: the version of the format."""

WITH_SIGN: Final = "(0|-?[1-9][0-9]{0,9})"
WITHOUT_SIGN: Final = "[0-9]{1,19}"
"""How numbers are written that have names: no number with a sign in two ways."""

OLDER_BITS: Final = "esn_bits"
"""What the field for the bits of a position's low part was called in traces of every family."""

_ADVICE: Final = {
    "system": 'write "system": {"name": "...", "version": "..."}',
    "recorders": 'say who records what: "recorders": {"n0": {"role": "node", "records": {"store": "complete"}}}',
    "clock_bound_ns": "0 if all recorders share one clock, else the most by which two may differ",
}


def header_from_json(said: Mapping[str, Any]) -> Header:
    """The header that a JSON object says.

    Raises:
        UnknownVersion: it is written in another major version.
        TraceError: another of its kinds, for a missing, mistyped, repeated or oversized field.
    """
    version = _version(said)
    wanted = {name: required(said, name, "header", advice) for name, advice in _ADVICE.items()}
    family = _family(text("family", said.get("family", DEFAULT.name)))
    low_bits = low_bits_of(family)
    return Header(
        version=version,
        system=_system(mapping("system", wanted["system"])),
        members={universe.section: _members(universe, said) for universe in family.listed},
        named={one.section: _named(one, said) for one in family.universes if not one.listed},
        recorders={
            text("name of a recorder", name): _recorder(name, recorder)
            for name, recorder in mapping("recorders", wanted["recorders"]).items()
        },
        clock_bound_ns=number("clock_bound_ns", wanted["clock_bound_ns"], 0, MAX_TIME),
        low_bits=number(low_bits, said.get(low_bits, said.get(OLDER_BITS, 32)), 1, 62),
        promises={name: _promise(name, value) for name, value in mapping("promises", said.get("promises", {})).items()},
        family=family,
        note=text("note", said.get("note", "")),
        extra=_beyond(said, *fields_of(family), OLDER_BITS),
    )


def fields_of(family: Family) -> tuple[str, ...]:
    """The fields of the headers of a family's traces."""
    return (*HEADER, *(universe.section for universe in family.universes), low_bits_of(family))


def header_to_json(header: Header) -> dict[str, Any]:
    """The JSON object that says a header; fields that say nothing are left out."""
    said = {
        VERSION_KEY: "{}.{}".format(*header.version),
        "system": {"name": header.system.name, "version": header.system.version, **header.system.extra},
        **{universe.section: _section(universe, header) for universe in header.family.universes},
        "recorders": {
            name: {"role": recorder.role, "records": dict(recorder.records), **recorder.extra}
            for name, recorder in header.recorders.items()
        },
        "clock_bound_ns": header.clock_bound_ns,
        low_bits_of(header.family): header.low_bits,
        "promises": dict(header.promises),
        "family": "" if header.family is DEFAULT else header.family.name,
        "note": header.note,
    }
    always = {*_ADVICE, *(universe.section for universe in header.family.listed)}
    return {name: value for name, value in said.items() if name in always or value not in ({}, "")} | dict(header.extra)


def _section(universe: Universe, header: Header) -> list[dict[str, Any]] | dict[str, str]:
    """What a header says of a universe."""
    if universe.listed:
        members = header.list_of(universe)
        return [{"name": one.name, "location": dict(one.location), **one.extra} for one in members]
    return {str(number): name for number, name in header.names_of(universe).items()}


def _version(said: Mapping[str, Any]) -> tuple[int, int]:
    written = text(VERSION_KEY, required(said, VERSION_KEY, "header", f'write "{VERSION_KEY}": "1.0"'))
    found = re.fullmatch(r"(\d{1,6})\.(\d{1,6})", written, re.ASCII)
    if found is None:
        raise Mistyped(f"{VERSION_KEY} is {written!r:.40}", "it must be major.minor", '"1.0"')
    major, minor = map(int, found.groups())
    if major != VERSION[0]:
        raise UnknownVersion(
            f"format version {written}", f"this reader knows version {VERSION[0]}", "a quorate of that version"
        )
    return major, minor


def _beyond(said: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in said.items() if name not in names}


def _system(said: dict[str, Any]) -> System:
    name = required(said, "name", "system", 'write "name"')
    return System(
        text("name of the system", name),
        text("version of the system", said.get("version", "")),
        _beyond(said, "name", "version"),
    )


def _members(universe: Universe, said: Mapping[str, Any]) -> tuple[Member, ...]:
    """The members of a universe that is listed."""
    section = universe.section
    advice = f'list them: "{section}": [{{"name": "{universe.one[0]}0", "location": {{"rack": "r0"}}}}]'
    members = sequence(section, required(said, section, "header", advice))
    return tuple(_member(universe.one, place, member) for place, member in enumerate(members))


def _member(word: str, place: int, member: object) -> Member:
    said = mapping(f"{word} {place}", member)
    name = text(f"name of {word} {place}", required(said, "name", word, 'write "name"'))
    location = mapping(f"location of {word} {name!r}", said.get("location", {}))
    return Member(
        name,
        {scope: text(f"{scope} of {word} {name!r}", domain) for scope, domain in location.items()},
        _beyond(said, "name", "location"),
    )


def _recorder(name: str, recorder: object) -> Recorder:
    said = mapping(f"recorder {name!r}", recorder)
    records = mapping(f"records of {name!r}", required(said, "records", "recorder", 'write "records"'))
    return Recorder(
        text(f"role of {name!r}", required(said, "role", "recorder", 'write "role"')),
        {word: _completeness(name, word, value) for word, value in records.items()},
        _beyond(said, "role", "records"),
    )


def _completeness(name: str, word: str, value: object) -> Literal["complete", "partial"]:
    match text(f"records of {name!r}", value):
        case "complete":
            return "complete"
        case "partial":
            return "partial"
        case other:
            raise Mistyped(
                f"{name!r} records {word!r} {other!r:.40}", "a recorder records all or some", '"complete" or "partial"'
            )


def _named(universe: Universe, said: Mapping[str, Any]) -> dict[int, str]:
    """The names of some numbers of a universe."""
    section, word = universe.section, universe.one
    names, pattern = mapping(section, said.get(section, {})), number_pattern(universe)
    for name in names:
        if not re.fullmatch(pattern, name, re.ASCII):
            advice = f'write "{section}": {{"1": "{word}-1"}}'
            raise Mistyped(f"{section} has {name!r:.40}", f"{section} are listed by number", advice)
    return {
        number(f"{word} {one}", int(one), *universe.numbers): text(f"name of {word} {one}", name)
        for one, name in names.items()
    }


def number_pattern(universe: Universe) -> str:
    """How numbers of a universe are written that have names."""
    return WITH_SIGN if universe.numbers[0] < 0 else WITHOUT_SIGN


def _family(name: str) -> Family:
    try:
        return family_named(name)
    except NoSuchFamily as unknown:
        raise UnknownFamily(f"family {name!r:.40}", str(unknown), "install the package that declares it") from None


def _promise(name: str, value: object) -> bool | int:
    return value if isinstance(value, bool) else number(f"promise {name!r}", value, 1)
