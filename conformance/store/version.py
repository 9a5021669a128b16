"""The version of rules: a fingerprint of their names and of all that decides what they say."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Final

import conformance.store
import conformance.trace
import spec
from spec.language.rule import Rule

PACKAGES: Final = (spec, conformance.trace, conformance.store)
"""Packages every source of which counts."""


def version_of(rules: Sequence[Rule]) -> str:
    """A fingerprint of rules; whatever has another one is judged again."""
    found = blake2b(_sources(), digest_size=8)
    found.update("\n".join(rule.id for rule in rules).encode())
    for module in sorted({part.__module__ for rule in rules for part in (rule.view, rule.view.events)}):
        path = getattr(sys.modules[module], "__file__", None)
        found.update(Path(path).read_bytes() if path else b"")
    return found.hexdigest()


@cache
def _sources() -> bytes:
    found = blake2b()
    for package in PACKAGES:
        for path in sorted(path for root in package.__path__ for path in Path(root).rglob("*.py")):
            found.update(path.read_bytes())
    return found.digest()
