"""The registry of families and rules: one of each, also where they come from another process.

Engines work out plans once for each rule, and hand rules and headers to worker processes.
"""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import pytest

from spec.log.family import LOG
from spec.registry import BY_ID, FAMILIES, RULES, UnknownRule, select


def sent(value: Any) -> Any:
    """The value, as another process gets it."""
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - our own


def test_what_is_known_stays_the_same_when_it_is_sent() -> None:
    assert sent(LOG) is LOG
    assert all(sent(rule) is rule for rule in RULES)


def test_a_rule_that_only_has_the_id_of_a_known_one_is_sent_whole() -> None:
    changed = replace(RULES[0], sentence="Something else.")
    assert sent(changed).sentence == "Something else."


def test_every_rule_of_every_family_is_found_by_its_id() -> None:
    assert {rule.id: rule for family in FAMILIES.values() for rule in family.rules} == BY_ID
    assert select(["client.*"]) == [rule for rule in RULES if rule.id.startswith("client.")]
    with pytest.raises(UnknownRule, match="did you mean"):
        select(["client.read.in_oder"])
