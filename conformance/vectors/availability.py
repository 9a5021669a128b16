"""Cases of availability: which entries of a ledger a bookie has, in groups and as bytes, and which it lacks.

``encode`` has ``entries`` in the order in which they come, ``decode`` has bytes as ``bytes_hex``, ``unavailable`` what
is ``available`` and what is expected in a window. A name that ends in ``_shipped`` follows releases 4.10 to 4.18, any
other what is meant. Which bytes are taken is as shipped; ``error`` expects that the stricter reader refuses them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from conformance.vectors.differences import answered
from conformance.vectors.fields import Fields
from spec.ledger.availability.encoding import ENTRY_MAX, decode, decode_as_shipped, encode, pack
from spec.ledger.availability.groups import Groups, entries_of, grouped, sequences_of
from spec.ledger.availability.shipped import (
    count_as_shipped,
    grouped_as_shipped,
    holds_as_shipped,
    missing_as_shipped,
)
from spec.ledger.errors import LedgerError

ENTRIES_MAX: Final = 1_000_000
_ENTRY: Final = re.compile(r"-?(0|[1-9][0-9]{0,18})", re.ASCII)
_BYTES: Final = re.compile(r"([0-9a-fA-F]{2}){0,100000}")

Answers = Mapping[str, Any]


def seen(case: Fields) -> tuple[str, ...]:
    """How a case differs from what the specification says of its entries.

    Raises:
        DamagedVectors: the case is no case of availability.
    """
    question, expected = case.choice("kind", QUESTIONS), case.below("expected")
    return answered(expected, question(case.below("input"), expected))


def _encode(given: Fields, expected: Fields) -> Answers:
    entries = given.every("entries", _entry)
    groups, shipped = grouped(sequences_of(entries)), grouped_as_shipped(entries)
    return {
        "num_entries": len(entries_of(groups)),
        "groups_bp34": groups,
        "bytes_hex_bp34_layout": encode(entries).hex(),
        "size_bp34_layout": len(encode(entries)),
        "contains": _asked(expected, "contains", frozenset(entries).__contains__),
        **_as_shipped(shipped, expected),
        "groups_shipped": shipped,
        "bytes_hex_shipped": pack(shipped).hex(),
        "size_shipped": len(pack(shipped)),
    }


def _decode(given: Fields, expected: Fields) -> Answers:
    text = given.text("bytes_hex")
    if not _BYTES.fullmatch(text):
        raise given.refuse_part("no such bytes", "bytes_hex", "two hexadecimal digits for each")
    data = bytes.fromhex(text)
    refusals = {"error": _refusal(decode, data), "error_shipped": _refusal(decode_as_shipped, data)}
    answers: dict[str, Any] = {name: refusal for name, refusal in refusals.items() if refusal}
    if refusals["error_shipped"]:
        return answers
    groups = decode_as_shipped(data)
    try:
        entries = entries_of(groups, ENTRIES_MAX)
    except LedgerError as wrong:
        raise given.refuse("the case is too large", str(wrong), f"at most {ENTRIES_MAX} entries") from wrong
    answers |= {"entries": sorted(entries), "num_entries": len(entries), **_as_shipped(groups, expected)}
    answers["contains"] = _asked(expected, "contains", entries.__contains__)
    if "window" in given:
        bounds = given.members("window", 2)
        window = _window(given, *(_entry(bounds, place) for place in bounds))
        answers |= _missing(entries, groups, window, window)
    return answers


def _unavailable(given: Fields, _expected: Fields) -> Answers:
    available = given.every("available", _entry)
    window = _window(given, _entry(given, "start_entry"), _entry(given, "last_entry"))
    expected = frozenset(given.every("expected_entries", _entry)) & frozenset(window)
    return _missing(frozenset(available), grouped_as_shipped(available), window, expected)


QUESTIONS: Final[dict[str, Callable[[Fields, Fields], Answers]]] = {
    "encode": _encode,
    "decode": _decode,
    "unavailable": _unavailable,
}
"""What a case may ask: BookKeeper, util/AvailabilityOfEntriesOfLedger.java."""


def _as_shipped(groups: Groups, expected: Fields) -> Answers:
    return {
        "num_entries_shipped": count_as_shipped(groups),
        "contains_shipped": _asked(expected, "contains_shipped", lambda entry: holds_as_shipped(groups, entry)),
    }


def _missing(held: frozenset[int], groups: Groups, window: range, expected: Collection[int]) -> Answers:
    missing = [entry for entry in window if entry in expected and entry not in held]
    shipped = missing_as_shipped(groups, window.start, window.stop - 1, expected)
    return {"unavailable": missing, "unavailable_shipped": shipped, "shipped_is_wrong": missing != list(shipped)}


def _asked(expected: Fields, name: str, holds: Callable[[int], bool]) -> dict[str, bool]:
    """The answer for each entry that a part of a case asks for."""
    asked = expected.below(name, {})
    if wrong := [entry for entry in asked if not _ENTRY.fullmatch(entry)]:
        raise asked.refuse_name("no such entry", wrong[0], "whole numbers")
    return {entry: holds(int(entry)) for entry in asked}


def _refusal(read: Callable[[bytes], Groups], data: bytes) -> str:
    """Why bytes are refused; empty where they are taken."""
    try:
        read(data)
    except LedgerError as refusal:
        return str(refusal)
    return ""


def _window(given: Fields, first: int, last: int) -> range:
    if last - first >= ENTRIES_MAX:
        raise given.refuse("the window is too long", f"{first} to {last}", f"at most {ENTRIES_MAX} entries")
    return range(first, last + 1)


def _entry(given: Fields, name: str) -> int:
    return given.number(name, least=-ENTRY_MAX, most=ENTRY_MAX)
