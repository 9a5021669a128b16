"""Prints what each rule, protocol text and mutant says, as digests by name: two trees are then compared name by name.

It asks the tree that is first on Python's path, which may be that of a commit. What a rule says is its formula with all
that its columns mean, its sentence and its citation.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from reference_impl.mutants import MUTANTS, SCHEDULED
from spec.language.declare import Rowset
from spec.language.terms import Col, Lookup, Term, leaves
from spec.proof.inductive.hint_files import HINTS
from spec.protocols.pages import page
from spec.protocols.registry import TEXTS
from spec.registry import BY_ID


def rules() -> Iterator[tuple[str, object]]:
    """Each rule, wherever it stands, with what it speaks of."""
    for rule in BY_ID.values():
        rows = rule.view
        yield rule.id, (replace(rule, source=""), rows.events, rows.key, *meaning(rows, *rule.parts))


def meaning(rows: type[Rowset], *terms: Term) -> Iterator[object]:
    """Terms over the columns of rows, and what those columns are: aggregates, neighbours, entries of a dimension."""
    for term in terms:
        yield term
        for leaf in leaves(term, object):
            match leaf:
                case Col(name) if name in rows.near:
                    yield rows.near[name]
                    yield from meaning(rows, rows.inline(rows.near[name].of))
                case Col(name) if name in rows.base:
                    yield rows.base[name]
                case Lookup(dimension, column, sort, _):
                    yield from meaning(dimension, dimension.inline(Col(column, sort)))


def texts() -> Iterator[tuple[str, object]]:
    """Each protocol text and each of its forms with the page that it would have, its small world and its hints."""
    for name, text in TEXTS.items():
        besides = inspect.getsource(text.world), *map(Path.read_bytes, HINTS.glob(f"{name}.json"))
        for form, protocol in {name: text.protocol, **text.variants, **text.forms}.items():
            yield form, (page(replace(text, protocol=protocol, variants={}, forms={})), *besides)


def mutants() -> Iterator[tuple[str, object]]:
    """Each mutant with its wrong decisions."""
    for name, one in (MUTANTS | SCHEDULED).items():
        yield name, (one.sentence, one.why, one.setting, *(inspect.getsource(wrong) for _, wrong in one.changes))


def digests() -> Mapping[str, Mapping[str, str]]:
    """For each kind of subject what each of that kind says."""
    said = {"rules": rules(), "protocol texts": texts(), "mutants": mutants()}
    return {kind: {name: sha256(repr(one).encode()).hexdigest() for name, one in known} for kind, known in said.items()}


if __name__ == "__main__":
    print(json.dumps(digests()))
