"""One rule on one page: what is printed of it, where its text stands, what it carries, and the SQL that engines run."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from spec.language.parameters import Parameters
from spec.language.rule import Rule
from spec.language.sql.dialects import DUCKDB, SPARK
from spec.language.sql.plan import statement
from spec.pages import rule_page
from spec.sources.carriers import carrier
from spec.sources.registry import carried_by

DIALECTS: Final = {"spark": SPARK, "duckdb": DUCKDB}
"""Engines whose SQL can be shown."""


def page(rule: Rule, dialect: str = "none") -> str:
    """The page as text; with a dialect's name also the SQL over a table named ``trace``."""
    text = f"{rule_page(rule)}\n  text: {place_of(rule)}\n{_sentences(rule)}"
    if dialect not in DIALECTS:
        return text
    return f"{text}\n{statement([rule], 'trace', DIALECTS[dialect], Parameters()).rstrip()}\n"


def sentences_of(rule: Rule) -> list[str]:
    """The sentences of sources that the rule carries, each with its place."""
    return [str(spot) for spot in carried_by(carrier(f"rule {rule.id}"))]


def _sentences(rule: Rule) -> str:
    """The same as text, a line each."""
    carried = [f"    {sentence}" for sentence in sentences_of(rule)]
    return "\n".join(["", "  carries:", *carried, ""]) if carried else ""


def place_of(rule: Rule) -> str:
    """File and line of the rule, from the package on."""
    path, _, line = rule.source.rpartition(":")
    parts = Path(path).parts
    start = len(parts) - 1 - parts[::-1].index("spec") if "spec" in parts else 0
    return f"{'/'.join(parts[start:])}:{line}"
