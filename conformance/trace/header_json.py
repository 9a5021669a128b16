"""The header as JSON: the first line of JSON lines, and one entry in the metadata of Parquet."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, Literal

from conformance.trace.errors import Mistyped, UnknownFamily, UnknownVersion
from conformance.trace.header import MAX_TIME, VERSION, Header, Node, Recorder, System
from conformance.trace.typed import HIGH, mapping, number, required, sequence, text
from spec.language.family import Family
from spec.log.family import LOG
from spec.registry import NoSuchFamily, family_named

VERSION_KEY: Final = "quorate_trace"
"""The field that makes a JSON object the header of a trace: the version of the format."""

CLIENT: Final = "0|-?[1-9][0-9]{0,9}"
"""How the number of a writer or a reader is written."""

_FIELDS: Final = (
    VERSION_KEY,
    "system",
    "nodes",
    "logs",
    "writers",
    "readers",
    "recorders",
    "clock_bound_ns",
    "esn_bits",
    "promises",
    "family",
    "note",
)
_ADVICE: Final = {
    "system": 'write "system": {"name": "...", "version": "..."}',
    "nodes": 'list the shards: "nodes": [{"name": "n0", "location": {"rack": "r0"}}]',
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
    logs = mapping("logs", said.get("logs", {}))
    return Header(
        version=version,
        system=_system(mapping("system", wanted["system"])),
        nodes=tuple(_node(place, node) for place, node in enumerate(sequence("nodes", wanted["nodes"]))),
        logs={_log_number(log): text(f"name of log {log}", name) for log, name in logs.items()},
        writers=_clients("writers", said),
        readers=_clients("readers", said),
        recorders={
            text("name of a recorder", name): _recorder(name, recorder)
            for name, recorder in mapping("recorders", wanted["recorders"]).items()
        },
        clock_bound_ns=number("clock_bound_ns", wanted["clock_bound_ns"], 0, MAX_TIME),
        esn_bits=number("esn_bits", said.get("esn_bits", 32), 1, 62),
        promises={name: _promise(name, value) for name, value in mapping("promises", said.get("promises", {})).items()},
        family=_family(text("family", said.get("family", LOG.name))),
        note=text("note", said.get("note", "")),
        extra=_beyond(said, *_FIELDS),
    )


def header_to_json(header: Header) -> dict[str, Any]:
    """The JSON object that says a header; fields that say nothing are left out."""
    said = {
        VERSION_KEY: "{}.{}".format(*header.version),
        "system": {"name": header.system.name, "version": header.system.version, **header.system.extra},
        "nodes": [{"name": node.name, "location": dict(node.location), **node.extra} for node in header.nodes],
        "logs": {str(log): name for log, name in header.logs.items()},
        "writers": {str(writer): name for writer, name in header.writers.items()},
        "readers": {str(reader): name for reader, name in header.readers.items()},
        "recorders": {
            name: {"role": recorder.role, "records": dict(recorder.records), **recorder.extra}
            for name, recorder in header.recorders.items()
        },
        "clock_bound_ns": header.clock_bound_ns,
        "esn_bits": header.esn_bits,
        "promises": dict(header.promises),
        "family": "" if header.family is LOG else header.family.name,
        "note": header.note,
    }
    return {name: value for name, value in said.items() if name in _ADVICE or value not in ({}, "")} | dict(
        header.extra
    )


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


def _node(place: int, node: object) -> Node:
    said = mapping(f"node {place}", node)
    name = text(f"name of node {place}", required(said, "name", "node", 'write "name"'))
    location = mapping(f"location of node {name!r}", said.get("location", {}))
    return Node(
        name,
        {scope: text(f"{scope} of node {name!r}", domain) for scope, domain in location.items()},
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


def _log_number(log: str) -> int:
    if not re.fullmatch(r"\d{1,19}", log, re.ASCII):
        raise Mistyped(f"log {log!r:.40}", "logs are listed by number", 'write "logs": {"1": "orders"}')
    return number(f"log {log}", int(log), 0, HIGH)


def _clients(field: str, said: Mapping[str, Any]) -> dict[int, str]:
    """The names of writers or readers; no number can be written in two ways."""
    named = mapping(field, said.get(field, {}))
    for client in named:
        if not re.fullmatch(CLIENT, client, re.ASCII):
            raise Mistyped(
                f"{field} has {client!r:.40}", "clients are listed by number", f'write "{field}": {{"1": "app-1"}}'
            )
    return {int(client): text(f"name of {field} {client}", name) for client, name in named.items()}


def _family(name: str) -> Family:
    try:
        return family_named(name)
    except NoSuchFamily as unknown:
        raise UnknownFamily(f"family {name!r:.40}", str(unknown), "install the package that declares it") from None


def _promise(name: str, value: object) -> bool | int:
    return value if isinstance(value, bool) else number(f"promise {name!r}", value, 1)
