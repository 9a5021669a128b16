"""The reference page of the format: prose beside this module, with tables from the code that reads and writes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from importlib.resources import files
from string import Template
from typing import Final

from conformance.trace.by_field import field_columns
from conformance.trace.fields import shapes_of
from conformance.trace.header import MAX_TIME, VERSION, Header, System
from conformance.trace.header_schema import Schema, header
from conformance.trace.jsonl import LIMIT
from conformance.trace.parquet import BOOKS_KEY, HEADER_KEY, SORTED_KEY
from conformance.trace.words import COMPLETENESS
from spec.events import GAP_CLAIMS, GAP_KINDS, Event
from spec.language.bookkeeping import BOOKS
from spec.language.events import all_events, fields_of
from spec.language.scopes import SCOPES
from spec.log.family import LOG
from spec.promises import BESIDES, PROMISES

PROSE: Final = "format_page.md"


def page() -> str:
    """The page, in Markdown."""
    prose = files("conformance.trace").joinpath(PROSE).read_text(encoding="utf-8")
    return Template(prose).substitute(
        header=_table(_header_fields(header(LOG, LOG))),
        scopes=", ".join(f"`{scope}`" for scope in SCOPES[1:]),
        all_scopes=", ".join(f"`{scope}`" for scope in SCOPES),
        roles=_table((f"`{role}`", meaning) for role, meaning in LOG.roles.items()),
        completeness=_table((f"`{word}`", meaning) for word, meaning in COMPLETENESS.items()),
        promises=_table((f"`{name}`", meaning, _changed_by(name)) for name, meaning in PROMISES.items()),
        always=len(LOG.rules_with("")),
        gaps=_table((str(number), f"`{word}`", GAP_CLAIMS[number]) for word, number in GAP_KINDS.items()),
        told=_table(_told()),
        columns=_table(_columns()),
        books=BOOKS,
        added=" and ".join(f"`{word}`" for word in LOG.added),
        least_time=f"{-MAX_TIME:,}",
        most_time=f"{MAX_TIME:,}",
        limit=f"{LIMIT:,}",
        books_key=BOOKS_KEY.decode(),
        header_key=HEADER_KEY.decode(),
        sorted_key=SORTED_KEY.decode(),
        version="{}.{}".format(*VERSION),
    )


def _table(rows: Iterable[tuple[str, ...]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _header_fields(said: Schema) -> Iterator[tuple[str, ...]]:
    """The fields of the header: whether it must have them, how they look, and what they say."""
    for name, field in said["properties"].items():
        needed = "yes" if name in said["required"] else ""
        yield f"`{name}`", needed, field["type"], field["description"]


def _changed_by(promise: str) -> str:
    count = len(LOG.rules_with(promise))
    rules = {0: [], 1: ["1 rule"]}.get(count, [f"{count} rules"])
    return "; ".join([*rules, *([BESIDES[promise]] if promise in BESIDES else [])])


def _told() -> Iterator[tuple[str, ...]]:
    """The fields that bookkeeping fills in, of which kinds of event, and from which."""
    found: dict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
    for event in all_events(Event):
        for field in fields_of(event).values():
            if field.told is not None:
                found[field.written, field.told.by].append(event.word)
    for (name, by), words in found.items():
        yield f"`{name}`", _words(words), _words(by)


def _columns() -> Iterator[tuple[str, ...]]:
    """The columns of Parquet, and the kinds of event that have the field of each."""
    shapes = shapes_of(LOG)
    for column in field_columns(Header(system=System(""), recorders={}, clock_bound_ns=0)):
        kinds = sorted({kind for of in column.kept.values() for kind in of})
        having = "all" if len(kinds) == len(shapes) else _words(shapes[kind].word for kind in kinds)
        yield f"`{column.name}`", str(column.type).partition("<")[0], having


def _words(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
