"""Cases of channel keys: how a leaseholder and a number make one, and what is read off one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from conformance.vectors.differences import Explained, answered
from conformance.vectors.fields import Fields
from spec.segment.channel_numbers import (
    NODE_MAX,
    is_free,
    key_of,
    leaseholder_of,
    leaseholders_of,
    local_of,
    read_key,
    read_key_as_shipped,
)

LOCAL_MAX: Final = (1 << 32) - 1
CLASS, TEXT = "error_class", "error_contains"
CUT: Final = "cuts_keys"
"""The class of difference: a text that is no key is cut until it is one."""


def seen(case: Fields) -> Explained | tuple[str, ...]:
    """How a case differs from what the key says, or the known way in which it does.

    Raises:
        DamagedVectors: the case is no case of a channel's key.
    """
    question, expected = case.choice("op", QUESTIONS), case.below("expect")
    try:
        answers = question(case)
    except ValueError as refusal:
        if CLASS in expected and expected.text(TEXT, "") in str(refusal):
            return ()
        is_cut = CLASS not in expected and _is_cut(case, expected)
        return Explained((CUT,)) if is_cut else (f"seen refusal: {refusal}",)
    if CLASS in expected:
        return (f"expected {expected.raw(CLASS)}, seen {dict(answers)}",)
    return answered(expected, answers)


def _made(case: Fields) -> Mapping[str, Any]:
    return _told(key_of(case.number("node", most=NODE_MAX), case.number("local", most=LOCAL_MAX)))


def _read(case: Fields) -> Mapping[str, Any]:
    return _told(read_key(case.text("text")))


def _is_cut(case: Fields, expected: Fields) -> bool:
    """Whether what is expected of a text is what the key says that it is cut to."""
    try:
        return not answered(expected, _told(read_key_as_shipped(case.text("text"))))
    except ValueError:
        return False


def _leaseholders(case: Fields) -> Mapping[str, Any]:
    keys = case.every("keys", lambda inside, place: inside.number(place, most=(1 << 32) - 1))
    return {"leaseholders": list(leaseholders_of(keys))}


def _told(key: int) -> Mapping[str, Any]:
    return {"key": key, "leaseholder": leaseholder_of(key), "local": local_of(key), "free": is_free(key)}


QUESTIONS: Final[dict[str, Callable[[Fields], Mapping[str, Any]]]] = {
    "new_key": _made,
    "parse_key": _read,
    "unique_leaseholders": _leaseholders,
}
