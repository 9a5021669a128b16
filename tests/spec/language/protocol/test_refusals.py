"""What a protocol text cannot say is refused when its class is defined, with the line and what to write instead."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import pytest

from spec.language.protocol import (
    Bool,
    Family,
    Order,
    Partial,
    Protocol,
    Relation,
    Sort,
    action,
    define,
    every,
    goal,
    invariant,
    lemma,
    none,
    require,
    some,
)
from spec.language.quantifiers import count, domains
from spec.language.refusals import AuthorMistake


class Node(Sort):
    """A node."""


class Slot(Order):
    """A slot."""


class Quorum(Family[Node]):
    """A set of nodes."""


class Base(Protocol):
    """Something to speak about."""

    has: Relation[Node, Slot]
    last: Partial[Node, Slot]


def use_and(self: Base, node: Node, slot: Slot) -> Bool:
    """A clause."""
    return self.has(node, slot) and self.has(node, slot)


def use_not(self: Base, node: Node, slot: Slot) -> Bool:
    """A clause."""
    return not self.has(node, slot)


def use_if(self: Base, node: Node, slot: Slot) -> Bool:
    """A clause."""
    return self.last(node, slot) if self.has(node, slot) else self.has(node, slot)


def use_chain(self: Base, slot: Slot) -> Bool:
    """A clause."""
    return Slot.first < slot < Slot.first


def use_in(self: Base, node: Node, quorum: Quorum) -> Bool:
    """A clause."""
    return node in quorum


def use_all(self: Base, slot: Slot) -> Bool:
    """A clause."""
    return all(self.has(node, slot) for node in Node)


def use_filter(self: Base, node: Node, slot: Slot) -> Bool:
    """A clause."""
    return some(self.has(other, slot) for other in Node if other == node)


def use_list(self: Base, slot: Slot) -> Bool:
    """A clause."""
    return every([self.has(node, slot) for node in Node])


def use_precedence(self: Base, node: Node, slot: Slot) -> Bool:
    """A clause."""
    return self.has(node, slot) & slot == slot


def use_precedence_of_order(self: Base, node: Node, slot: Slot) -> Bool:
    """A clause."""
    return slot < slot & self.has(node, slot)


def use_wrong_columns(self: Base, node: Node, slot: Slot) -> Bool:
    """A clause."""
    return self.has(slot, node)


def use_two_sorts(self: Base, node: Node, slot: Slot) -> Bool:
    """A clause."""
    return node == slot


def use_wrong_member(self: Base, slot: Slot, quorum: Quorum) -> Bool:
    """A clause."""
    return quorum.has(slot)


def use_plain_list(self: Base, node: Node, slot: Slot) -> Bool:
    """A clause."""
    return every(self.has(node, one) for one in [])


def use_escaped(self: Base, slot: Slot) -> Bool:
    """A clause."""
    return self.has(next(iter(Node)), slot)


def use_python_truth(self: Base, node: Node, other: Node, slot: Slot) -> Bool:
    """A clause."""
    return self.has(node, slot) & (node is other)


def use_nothing(self: Base, node: Node) -> Bool:
    """A clause."""


def use_update(self: Base, node: Node, slot: Slot) -> Bool:
    """A clause."""
    self.has.add(node, slot)
    return self.has(node, slot)


def use_forgotten(self: Base, node: Node, slot: Slot) -> Bool:
    """A clause."""
    self.has(node, slot)
    return self.last(node, slot)


def use_count(self: Base, slot: Slot) -> Bool:
    """A clause."""
    return count(self.has(node, slot) for node in Node) == 2


def use_domains(self: Base, node: Node, slot: Slot) -> Bool:
    """A clause."""
    return next(iter(domains("rack"))).is_empty()


def use_untyped(self: Base, node: int) -> Bool:
    """A clause."""
    return self.last.defined(node)


def use_no_docstring(self: Base, node: Node) -> Bool:
    return self.last.defined(node)


FORMULAS: dict[Callable[..., Any], str] = {
    use_and: "Write & | ~",
    use_not: "Write & | ~",
    use_if: "Write & | ~",
    use_chain: "split a < b < c",
    use_in: "quorum.has(voter)",
    use_all: "Write & | ~",
    use_filter: "Write & | ~",
    use_list: "without brackets",
    use_precedence: "put each comparison in parentheses",
    use_precedence_of_order: "put each comparison in parentheses",
    use_wrong_columns: "has(Node, Slot) was given (Slot, Node)",
    use_two_sorts: "Compare elements of one sort",
    use_wrong_member: "Its members are of the sort Node",
    use_plain_list: "it ranges over is empty",
    use_escaped: "outside of its loop",
    use_python_truth: "never with 'is'",
    use_nothing: "returns a formula",
    use_update: "Only an action may change the state",
    use_forgotten: "has no effect",
    use_count: "count needs domains",
    use_domains: "outside of a quantifier",
    use_untyped: "Annotate it with a class below Sort",
    use_no_docstring: "Its first line says it in English",
}


@pytest.mark.parametrize("clause", FORMULAS, ids=lambda clause: clause.__name__)
@pytest.mark.parametrize("mark", [invariant, lemma, goal, define], ids=["invariant", "lemma", "goal", "define"])
def test_the_formula_is_refused(clause: Callable[..., Any], mark: Callable[..., Any]) -> None:
    with pytest.raises(AuthorMistake, match=re.escape(FORMULAS[clause])) as refused:
        type("Text", (Base,), {clause.__name__: mark(clause), "__doc__": "A text."})
    lines, first = inspect.getsourcelines(clause)
    name, _, line = refused.value.where.partition(":")
    assert name.endswith("test_refusals.py")
    assert first <= int(line) < first + len(lines), "the mistake is reported where it was made"


def act_on_a_guess(self: Base, node: Node, slot: Slot) -> None:
    """An action."""
    if self.has(node, slot):
        self.has.remove(node, slot)


def act_without_require(self: Base, node: Node, slot: Slot) -> None:
    """An action."""
    self.last(node, slot)
    self.has.add(node, slot)


def act_then_look(self: Base, node: Node, slot: Slot) -> None:
    """An action."""
    self.has.add(node, slot)
    require(~self.has(node, slot))


def act_and_require_in_a_loop(self: Base, slot: Slot, quorum: Quorum) -> None:
    """An action."""
    for node in quorum:
        require(self.has(node, slot))


def act_and_break(self: Base, slot: Slot, quorum: Quorum) -> None:
    """An action."""
    for node in quorum:
        self.has.add(node, slot)
        break


def act_and_return(self: Base, node: Node, slot: Slot) -> Bool:
    """An action."""
    return self.has(node, slot)


def act_idly_in_a_loop(self: Base, node: Node, slot: Slot) -> None:
    """An action."""
    for _ in Node:
        pass
    self.has.add(node, slot)


ACTIONS: dict[Callable[..., Any], str] = {
    act_on_a_guess: "Write & | ~",
    act_without_require: "has no effect",
    act_then_look: "read after its update",
    act_and_require_in_a_loop: "require() inside a loop",
    act_and_break: "outside of its loop",
    act_and_return: "Wrap its guards in require()",
    act_idly_in_a_loop: "a loop that changes nothing",
}


@pytest.mark.parametrize("clause", ACTIONS, ids=lambda clause: clause.__name__)
def test_the_action_is_refused(clause: Callable[..., Any]) -> None:
    with pytest.raises(AuthorMistake, match=re.escape(ACTIONS[clause])):
        type("Text", (Base,), {clause.__name__: action(clause), "__doc__": "A text."})


def test_a_definition_does_not_refer_to_itself() -> None:
    def round_about(self: Base, node: Node) -> Bool:
        """{node} goes round."""
        return self.round_about(node)

    with pytest.raises(AuthorMistake, match="refers to itself"):
        type("Text", (Base,), {"round_about": define(round_about)})


def test_a_definition_checks_its_arguments() -> None:
    class Text(Base):
        """A text."""

        @define
        def stores(self, node: Node) -> Bool:
            """{node} stores something."""
            return self.last.defined(node)

    def misuse(self: Text, slot: Slot) -> Bool:
        """A clause."""
        return self.stores(slot)

    with pytest.raises(AuthorMistake, match=re.escape("stores(Node) was given (Slot)")):
        type("Misuse", (Text,), {"misuse": invariant(misuse)})


def test_a_variant_keeps_the_mark_of_what_it_replaces() -> None:
    class Text(Base):
        """A text."""

        @invariant
        def nobody(self, node: Node) -> Bool:
            """Nobody."""
            return ~self.last.defined(node)

    def nobody(self: Base, node: Node) -> Bool:
        """Nobody."""
        return ~self.last.defined(node)

    with pytest.raises(AuthorMistake, match="Mark it @invariant too"):
        type("Variant", (Text,), {"nobody": nobody})


def test_the_state_is_spoken_of_inside_clauses_only() -> None:
    with pytest.raises(AuthorMistake, match="outside of its clauses"):
        none(one == other for one in Node for other in Node)
