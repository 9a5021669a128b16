"""Pages for people: rules, views and definitions in English and in mathematical notation.

Everything on a page is derived from the same terms that engines read, so a page cannot say anything else than what is
checked. The text is stable: the same rules give the same page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from spec.language.anomalies import Anomaly, anomalies_by_place
from spec.language.declare import Dimension, Rowset, View
from spec.language.definition import Definition
from spec.language.notation import Notation
from spec.language.rule import Rule
from spec.language.terms import Agg, Col, Op, Term, leaves


@dataclass(frozen=True)
class Prose:
    """Pages in one notation.

    Attributes:
        notation: how terms are written.
        promises: what each promise means, in words.
        anomalies: by rule, what others call it when it is broken.
    """

    notation: Notation = field(default_factory=Notation)
    promises: dict[str, str] = field(default_factory=dict)
    anomalies: Mapping[str, tuple[Anomaly, ...]] = field(default_factory=dict)

    def known_as(self, rule: Rule) -> str:
        """What others call it when a rule is broken; "" if nobody has a name for it."""
        return anomalies_by_place(self.anomalies.get(rule.id, ()))

    def rule_page(self, rule: Rule) -> str:
        """A rule: its sentence, formula, source, what it needs and what it is asked of, and the columns it reads."""
        facts = [("row", row_of(rule.view)), *self.facts(rule)]
        width = max(len(name) for name, _ in facts)
        lines = [rule.id, f"  {rule.sentence}", "", *_set_in(self.notation.lines(rule.term)), ""]
        lines += [f"  {name:<{width}}  {said}" for name, said in facts]
        columns = self.columns(rule.view, rule.term)
        return "\n".join([*lines, "", "  where", *_table(columns, "    ")]) + "\n"

    def facts(self, rule: Rule) -> list[tuple[str, str]]:
        """What is to be known of a rule besides its formula, by name."""
        found = [("source", rule.cite)]
        if known_as := self.known_as(rule):
            found.append(("known as", known_as))
        found.append(("needs", ", ".join(event.word for event in rule.needs)))
        if rule.promise:
            meaning = self.promises.get(rule.promise, "")
            found.append(("promise", f"{rule.promise}: {meaning}" if meaning else rule.promise))
        else:
            found.append(("promise", "none: asked of every system"))
        found.append(("strength", rule.strength))
        return [*found, ("variant", f"as {rule.variant}")] if rule.variant else found

    def view_page(self, view: type[Rowset]) -> str:
        """A view or dimension: what one row is, and every column."""
        names = [name for name in (*view.base, *view.near, *view.derived) if name not in view.key]
        lines = [row_of(view), *_table(self._columns(view, names), "  ")]
        return "\n".join(lines) + "\n"

    def definition_page(self, definition: Definition[..., Any]) -> str:
        """A definition: its sentence and its formula."""
        head = f"{definition.name}({', '.join(definition.columns)})"
        return "\n".join([head, f"  {definition.sentence}", "", *_set_in(self.notation.lines(definition.term))]) + "\n"

    def columns(self, view: type[Rowset], term: Term) -> list[tuple[str, str]]:
        """The columns that a term reads, directly or through other columns, with what each of them says."""
        names: list[str] = []
        wanted = [col.name for col in leaves(term, Col)]
        while wanted:
            name = wanted.pop(0)
            if name not in names and name not in view.key:
                names.append(name)
                wanted += [] if _only(view, name) else [col.name for col in leaves(_of(view, name), Col)]
        return self._columns(view, names)

    def chapter(self, rules: Iterable[Rule]) -> str:
        """Markdown: each view, in the order in which rules first speak of them, with its rules; then definitions."""
        by_view: dict[type[View], list[Rule]] = {}
        for rule in rules:
            by_view.setdefault(rule.view, []).append(rule)
        parts = [part for view, mine in by_view.items() for part in self._section(view, mine)]
        parts += self._appendix([rule for mine in by_view.values() for rule in mine])
        return "\n\n".join(parts) + "\n"

    def _section(self, view: type[View], rules: list[Rule]) -> Iterator[str]:
        yield f"## {view.__name__}"
        yield row_of(view)
        used = dict(column for rule in rules for column in self.columns(view, rule.term))
        yield _code([f"{name} = {said}" for name, said in used.items()])
        for rule in rules:
            yield f"### {rule.id}"
            yield rule.sentence
            yield _code(self.notation.lines(rule.term))
            yield "\n".join(f"- *{name}*: {said}" for name, said in self.facts(rule))

    def _appendix(self, rules: list[Rule]) -> Iterator[str]:
        definitions = list(dict.fromkeys(used for rule in rules for used in self.notation.used(rule.term)))
        for definition in definitions:
            definitions += [more for more in self.notation.used(definition.term) if more not in definitions]
        looked_up: list[type[Dimension]] = list(dict.fromkeys(one for rule in rules for one in rule.dimensions))
        if definitions or looked_up:
            yield "## Definitions"
        for definition in definitions:
            yield f"### {definition.name}({', '.join(definition.columns)})"
            yield definition.sentence
            yield _code(self.notation.lines(definition.term))
        for dimension in looked_up:
            yield f"### {dimension.__name__}"
            yield _code(self.view_page(dimension).splitlines())

    def _columns(self, rows: type[Rowset], names: list[str]) -> list[tuple[str, str]]:
        hidden = {part for name in names for part in _only(rows, name)}
        return [(name, self._column(rows, name)) for name in names if name not in hidden]

    def _column(self, rows: type[Rowset], name: str) -> str:
        parts = _only(rows, name)
        if parts:
            agg = rows.base[parts[0]]
            return f"the only {self.notation.say(agg).partition(' ')[2]}"
        return self.notation.say(_of(rows, name))


def _of(rows: type[Rowset], name: str) -> Term:
    """What a column says, in terms of the columns and fields below it."""
    return rows.derived.get(name) or rows.near.get(name) or rows.base[name]


def _only(rows: type[Rowset], name: str) -> tuple[str, ...]:
    """The two columns, least and most, of which a column is the one value that they share."""
    match rows.derived.get(name):
        case Op("when", (Col(low), Op("=" | "subset", (Col(a), Col(b))))) if low in (a, b):
            first, second = rows.base.get(a), rows.base.get(b)
            if isinstance(first, Agg) and isinstance(second, Agg) and first.of == second.of:
                return (low, b if low == a else a)
    return ()


def row_of(rows: type[Rowset]) -> str:
    """What one row is, and what names it."""
    about = (rows.__doc__ or "").strip().split("\n\n")[0].replace("\n", " ")
    how = "One row for each" if rows.grouped else "One row for every event, in the order of"
    return f"{rows.__name__}: {about} {how} ({', '.join(rows.key)})."


def _table(columns: list[tuple[str, str]], indent: str) -> list[str]:
    width = max((len(name) for name, _ in columns), default=0)
    return [f"{indent}{name:<{width}} = {said}" for name, said in columns]


def _set_in(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _code(lines: list[str]) -> str:
    return "\n".join(["```text", *lines, "```"])
