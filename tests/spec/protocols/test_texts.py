"""What every protocol text promises its readers: sentences, citations, words that are used, worlds that fit."""

from __future__ import annotations

import re

import pytest

from spec.language.protocol.mutants import without_one_guard
from spec.language.terms import Applied, Holds, Term, leaves
from spec.protocols.quorums import SmallCluster
from spec.protocols.registry import TEXTS, UnknownText, text

NAMES = list(TEXTS)

WORDS_OF_ANOTHER_TEXT = {"streams": {"blocked"}, "epoch": {"blocked"}}
"""Definitions that a text takes over and does not need: streams say it without values, as ``stopped``."""


@pytest.mark.parametrize("name", NAMES)
def test_every_clause_is_a_sentence_with_its_source(name: str) -> None:
    protocol = TEXTS[name].protocol
    for clause in (*protocol.clauses.values(), *protocol.definitions.values()):
        ends = "" if clause.kind == "definition" else "."
        assert clause.sentence.endswith(ends), clause.name
        assert re.search(r"\w[,:/] ?\w", clause.cite), f"{clause.name} cites nothing"


@pytest.mark.parametrize("name", NAMES)
def test_nothing_in_a_text_is_idle(name: str) -> None:
    """Each relation is changed and read, each definition used, each action has something to require."""
    protocol = TEXTS[name].protocol
    clauses = (*protocol.clauses.values(), *protocol.definitions.values())
    said: list[Term] = [term for clause in clauses for term in (clause.body, *clause.requires, *clause.assumes)]
    updates = [update for clause in clauses for update in clause.updates]
    said += [update.when for update in updates if update.when is not None]
    assert {update.relation for update in updates} == set(protocol.relations)
    assert {leaf.relation for term in said for leaf in leaves(term, Holds)} == set(protocol.relations)
    used = {leaf.name for term in said for leaf in leaves(term, Applied)}
    assert set(protocol.definitions) - used == WORDS_OF_ANOTHER_TEXT.get(name, set())


@pytest.mark.parametrize("name", NAMES)
def test_every_text_has_goals_and_a_small_world(name: str) -> None:
    assert TEXTS[name].protocol.of_kind("goal")
    assert TEXTS[name].protocol.of_kind("invariant")
    assert TEXTS[name].small().steps


@pytest.mark.parametrize("name", NAMES)
def test_every_guard_has_a_mutant(name: str) -> None:
    protocol = TEXTS[name].protocol
    guards = sum(len(action.requires) for action in protocol.of_kind("action"))
    assert len(list(without_one_guard(protocol))) == guards


@pytest.mark.parametrize(("nodes", "replication", "racks"), [(3, 2, 0), (5, 3, 0), (4, 2, 2), (6, 3, 3)])
def test_small_clusters_have_the_quorums_of_the_rules(nodes: int, replication: int, racks: int) -> None:
    """LogDevice, Read path, Gap detection algorithm: an f-majority intersects every possible copyset, and is least."""
    cluster = SmallCluster(nodes, replication, racks)
    everyone = frozenset(range(nodes))
    for heard in cluster.f_majorities:
        assert all(heard & copies for copies in cluster.copysets)
        assert heard == everyone or any(heard | {more} in cluster.f_majorities for more in everyone - heard)
    assert all(len(copies) == replication for copies in cluster.copysets)
    if not racks:
        assert min(map(len, cluster.f_majorities)) == nodes - replication + 1


def test_unknown_names_are_refused() -> None:
    with pytest.raises(UnknownText, match="there are recovery"):
        text("paxos")
    with pytest.raises(UnknownText, match="lowest_wins"):
        text("recovery").small("highest_wins")
