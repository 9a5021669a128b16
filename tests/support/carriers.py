"""Whether what a table of a source names is there: rules, clauses, theorems, tests and code."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from spec.proof.prove import all_theorems
from spec.protocols.pages import TITLES
from spec.protocols.registry import TEXTS
from spec.registry import BY_ID
from spec.sources.carriers import Carrier, CarrierKind

ROOT = Path(__file__).parents[2]


def missing(carriers: Iterable[Carrier]) -> list[Carrier]:
    """Those that are nowhere to be found."""
    return sorted(carrier for carrier in carriers if not _is_there(carrier))


def _is_there(carrier: Carrier) -> bool:
    match carrier.place:
        case CarrierKind.RULE:
            return carrier.name in BY_ID
        case CarrierKind.THEOREM:
            return carrier.name in {theorem.id for theorem in all_theorems()}
        case CarrierKind.CLAUSE:
            return carrier.where in TEXTS and carrier.name in _clauses(carrier.where)
        case CarrierKind.VARIANT:
            return carrier.where in TEXTS and carrier.name in TEXTS[carrier.where].variants
        case CarrierKind.TEST:
            kind, _, name = carrier.name.rpartition(".")
            return f"{kind}.test_{name}" in _names(carrier.where) if kind else f"test_{name}" in _names(carrier.where)
        case CarrierKind.CODE:
            return carrier.name in _names(carrier.where)


@cache
def _clauses(text: str) -> frozenset[str]:
    protocol = TEXTS[text].protocol
    return frozenset(protocol.definitions) | {clause.name for kind in TITLES for clause in protocol.of_kind(kind)}


@cache
def _names(file: str) -> frozenset[str]:
    """What a file defines: functions, classes and their methods, and constants."""
    path = ROOT / file
    if not path.is_file():
        return frozenset()
    found = set[str]()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        match node:
            case ast.FunctionDef(name=name):
                found.add(name)
            case ast.ClassDef(name=name, body=body):
                found |= {name, *(f"{name}.{method.name}" for method in body if isinstance(method, ast.FunctionDef))}
            case ast.AnnAssign(target=ast.Name(id=name)):
                found.add(name)
    return frozenset(found)
