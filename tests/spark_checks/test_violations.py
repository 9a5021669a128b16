"""Tables of violations: there is room for the key of every row that a rule may break.

Justified by ``spark_checks.violations``: a key that is cut names another row, or many rows by one name.
"""

from spark_checks.violations import KEY_PARTS
from spec.registry import RULES


def test_every_key_has_room() -> None:
    longest = max(RULES, key=lambda rule: len(rule.view.key))
    assert len(longest.view.key) <= KEY_PARTS, longest.view.__name__
