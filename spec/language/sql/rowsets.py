"""Rows as SQL text: the events of a view or table, read once and grouped by the key."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from spec.language.declare import Rowset
from spec.language.sql.aggregates import Contribution, in_bits, of_one_event, over_events, said, value
from spec.language.sql.bits import Bits
from spec.language.sql.events import EventWriter, Trace, kind_is
from spec.language.sql.stages import Stages
from spec.language.sql.terms import Words
from spec.language.terms import Agg, Field, Sort, Term, leaves
from spec.language.vocabulary import sort_of


def names(prefix: str, column: str, sort: Sort, words: int) -> Words:
    """The names of a column's words. Prefixed, because a view may call a column what an engine reserves."""
    return tuple(f"{prefix}{word or ''}_{column}" for word in range(words if sort == "set" else 1))


def key_fields(rowset: type[Rowset]) -> list[Field]:
    """The fields that name a row."""
    return [term for name in rowset.key if isinstance(term := rowset.base[name], Field)]


def gathered(label: str, rowset: type[Rowset], wanted: Collection[str], trace: Trace) -> Stages:
    """The stages that end in one row for each key, or for each event, with the key and the wanted base columns."""
    terms = {name: term for name, term in rowset.base.items() if name in wanted or name in rowset.key}
    stages = Stages(label, trace.source)
    _read(stages, rowset, terms, trace)
    if rowset.grouped:
        _group(stages, rowset, terms, trace)
    else:
        _take(stages, rowset, terms, trace)
    return stages


def _read(stages: Stages, rowset: type[Rowset], terms: Mapping[str, Term], trace: Trace) -> None:
    """Only the kinds and columns that the rows need; an event whose key is not known makes no row."""
    fields = {field.column: field for term in terms.values() for field in leaves(term, Field)}
    reading = dict.fromkeys(item for field in fields.values() for item in trace.reading(field))
    stored = [column for key in key_fields(rowset) if trace.may_be_null(key) for column in trace.stored(key)]
    conditions = [kind_is(trace.kinds(rowset.events)), *(f"{column} IS NOT NULL" for column in stored)]
    stages.add("read", ["kind", *reading], f"WHERE {' AND '.join(conditions)}")


def _group(stages: Stages, rowset: type[Rowset], terms: Mapping[str, Term], trace: Trace) -> None:
    """One select for what each event says, one for what the events of a key say together."""
    inputs: dict[str, str] = {}
    bits = Bits(trace.dialect, trace.parameters.size)
    by = [key.column for key in key_fields(rowset)]
    rows: list[str] = []
    for name, term in terms.items():
        if isinstance(term, Agg):
            parts = said(term, trace)
            text = in_bits(term, parts, bits, "all_{}")
            if text is not None:
                stages.written[name] = text
            else:
                rows += _named(name, term, over_events(term, parts, _inputs(name, term, parts, inputs), bits), trace)
        elif isinstance(term, Field):
            rows += _named(name, term, (term.column,), trace)
    said_in_bits = bits.columns()
    rows += [f"coalesce(bit_or({column}), 0) AS all_{column}" for column in said_in_bits]
    numbers = [f"{text} AS {column}" for column, text in said_in_bits.items()]
    stages.add("said", [*by, *(f"{text} AS {column}" for text, column in inputs.items()), *numbers])
    stages.add("rows", rows, f"GROUP BY {', '.join(by)}")


def _inputs(name: str, agg: Agg, parts: Contribution, inputs: dict[str, str]) -> Words:
    """The columns of what each event says towards an aggregate; aggregates that hear the same share them."""
    if not parts.chosen:
        return ()
    columns = names("s", name, sort_of(agg), len(parts.values))
    pairs = zip(parts.values, columns, strict=True)
    return tuple(inputs.setdefault(value(parts.chosen, cases), column) for cases, column in pairs)


def _take(stages: Stages, rowset: type[Rowset], terms: Mapping[str, Term], trace: Trace) -> None:
    """Rows that are single events."""
    writer = EventWriter(trace, trace.kinds(rowset.events))
    rows: list[str] = []
    for name, term in terms.items():
        texts = of_one_event(term, said(term, trace)) if isinstance(term, Agg) else writer.words(term)
        rows += _named(name, term, texts, trace)
    stages.add("rows", rows)


def _named(name: str, term: Term, texts: Words, trace: Trace) -> list[str]:
    columns = names("c", name, sort_of(term), trace.parameters.words)
    return [f"{text} AS {column}" for text, column in zip(texts, columns, strict=True)]
