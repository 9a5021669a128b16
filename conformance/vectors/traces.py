"""Cases that are traces: files beside an index that says what the verdict on each is, by which rule, and why.

A case without a rule is a trace that is damaged: nothing is known of it but that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from conformance.check.checking import verdict_in_memory
from conformance.trace.errors import TraceError
from conformance.trace.open import open_trace
from conformance.vectors.fields import Fields
from spec.language.outcomes import Verdict
from spec.registry import BY_ID
from spec.verdicts import Standing, TraceVerdict

RULE: Final = "rule"

_FILE: Final = re.compile(r"[\w-][\w.-]{0,99}(/[\w-][\w.-]{0,99}){0,9}", re.ASCII)
"""A file in the folder of the index, or below it."""


def seen_in(folder: Path) -> Callable[[Fields], tuple[str, ...]]:
    """What judges the cases of an index in this folder."""
    return partial(seen, folder)


def seen(folder: Path, case: Fields) -> tuple[str, ...]:
    """How the verdict on a trace, and that of the rule it is about, differ from what the index says.

    Raises:
        DamagedVectors: the case names no verdict, no rule that there is, or no file.
    """
    expected, path = case.one_of("verdict", Verdict), _trace(folder, case)
    named = case.choice(RULE, BY_ID).id if RULE in case else None
    if named is None and expected is not Verdict.UNKNOWN:
        raise case.refuse_part("a verdict needs a rule", RULE, "the rule that it is about; only damage has none")
    try:
        found = verdict_in_memory(open_trace(path))
    except TraceError as damage:
        return () if named is None else (f"expected {expected} by {named}, seen damage: {damage}",)
    if named is None:
        return (f"expected damage, seen {found.verdict}",)
    return tuple(_differences(expected, named, found))


def _differences(expected: Verdict, named: str, found: TraceVerdict) -> Iterator[str]:
    if found.verdict is not expected:
        yield f"expected {expected}, seen {found.verdict}"
    (of_rule,) = (one for one in found.rules if one.rule.id == named)
    if of_rule.standing is not Standing.JUDGED:
        yield f"{named} is not judged: {of_rule.standing.value}"
    elif of_rule.verdict is not expected:
        yield f"{named}: expected {expected}, seen {of_rule.verdict}"


def _trace(folder: Path, case: Fields) -> Path:
    """The file of a trace, which lies in the folder of its index."""
    name = case.text("file")
    if not _FILE.fullmatch(name) or not (folder / name).is_file():
        raise case.refuse_part("no such trace", "file", "a file in the folder of the index, or below it")
    return folder / name
