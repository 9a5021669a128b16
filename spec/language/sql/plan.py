"""The plan: one text that judges all rules of a trace, each view with one shuffle and one pass.

Its result has one row for each way in which rows of a view were judged, and one for each row that breaks a rule:

``view``
    the view's name
``o0``, ``o1``, ...
    two bits for each of its rules, from the lowest: 0 no instance, 1 holds, 2 unknown, 3 violated
``k0``, ``k1``, ...
    the row's key where a rule is violated, else NULL
``n``
    how many rows were judged so

``spec.language.sql.verdicts`` decodes these rows; where violations may be many, a caller keeps them in a table, and
asks that for counts without keys and for the rows with keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from spec.language.declare import Dimension
from spec.language.parameters import Parameters
from spec.language.rule import Rule
from spec.language.sql.dialects import Dialect
from spec.language.sql.events import Trace
from spec.language.sql.rows import table
from spec.language.sql.stages import select, with_all
from spec.language.sql.views import Shape, Sheet, labels, sheets_of
from spec.language.terms import Lookup, Sort, leaves


def statement(
    rules: Iterable[Rule],
    source: str,
    dialect: Dialect,
    parameters: Parameters,
    *,
    nullable: frozenset[str] = frozenset(),
    here: frozenset[int] | None = None,
    facts: str | None = None,
) -> str:
    """The text that judges all rules in one pass over each view.

    Args:
        rules: the rules, of any views.
        source: a table, a view, or a subquery in parentheses, with the columns that ``spec.language.schema`` derives.
            A column of a kind that does not fill it may hold anything.
        dialect: the engine that will run the text.
        parameters: what the trace's header fixes.
        nullable: stored columns that may hold NULL in a kind that fills them; ``spec.language.sql.guard`` finds them.
        here: the kinds of event that may occur; None: any. What only others could say is left out of the text.
        facts: like ``source``, a smaller one with at least the events that tables are made of; None: there is none.

    Raises:
        ValueError: there is no rule to judge.
    """
    trace = Trace(source, dialect, parameters, nullable, here)
    sheets = sheets_of(rules)
    if not sheets:
        raise ValueError("no rules to judge: select at least one, `quorate rules` lists them")
    wanted = looked_up(sheets)
    names = labels([*(sheet.view for sheet in sheets), *wanted])
    tables = {dimension: names[dimension].lower() for dimension in wanted}
    known = replace(trace, source=facts or source)
    chains = [table(tables[dimension], dimension, columns, known) for dimension, columns in wanted.items()]
    counts = []
    for sheet in sheets:
        chains.append(sheet.stages(tables, trace))
        counts.append(_counted(sheet, chains[-1].last, Shape.of(sheets), dialect))
    return "\n".join([with_all(chains), "\nUNION ALL\n".join(counts)]) + "\n"


def looked_up(sheets: Sequence[Sheet]) -> dict[type[Dimension], dict[str, Sort]]:
    """The tables that rows look things up in, and the columns that they want of each."""
    found: dict[type[Dimension], dict[str, Sort]] = {}
    for sheet in sheets:
        for term in sheet.terms:
            for lookup in leaves(term, Lookup):
                found.setdefault(lookup.dimension, {})[lookup.column] = lookup.sort
    return found


def _counted(sheet: Sheet, rows: str, shape: Shape, dialect: Dialect) -> str:
    """Rows that were judged alike, counted; a row that breaks a rule stands alone, with its key."""
    broken = []
    for number, rules in enumerate(sheet.words):
        bits = sum(4**place for place in range(len(rules)))
        broken.append(f"(o{number} & {dialect.shift.format(f'o{number}', 1)} & {bits}) <> 0")
    key = [f"CASE WHEN {' OR '.join(broken)} THEN c_{name} END" for name in sheet.view.key]
    key += ["CAST(NULL AS BIGINT)"] * (shape.width - len(key))
    words = [f"o{number}" if number < len(sheet.words) else "CAST(0 AS BIGINT)" for number in range(shape.words)]
    columns = [f"'{sheet.label}' AS view"]
    columns += [f"{text} AS o{number}" for number, text in enumerate(words)]
    columns += [f"{text} AS k{number}" for number, text in enumerate(key)]
    return select([*columns, "count(*) AS n"], rows, "GROUP BY ALL")
