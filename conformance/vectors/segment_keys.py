"""Cases of channel keys: how a leaseholder and a number make one, and what is read off one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from conformance.vectors.differences import answered
from conformance.vectors.fields import Fields
from spec.segment.channel_numbers import NODE_MAX, is_free, key_of, leaseholder_of, local_of, read_key

LOCAL_MAX: Final = (1 << 32) - 1
CLASS, TEXT = "error_class", "error_contains"


def seen(case: Fields) -> tuple[str, ...]:
    """How a case differs from what the key says.

    Raises:
        DamagedVectors: the case is no case of a channel's key.
    """
    question, expected = case.choice("op", QUESTIONS), case.below("expect")
    try:
        answers = question(case)
    except ValueError as refusal:
        said = expected.text(TEXT, "")
        return () if CLASS in expected and said in str(refusal) else (f"seen refusal: {refusal}",)
    if CLASS in expected:
        return (f"expected {expected.raw(CLASS)}, seen {dict(answers)}",)
    return answered(expected, answers)


def _made(case: Fields) -> Mapping[str, Any]:
    return _told(key_of(case.number("node", most=NODE_MAX), case.number("local", most=LOCAL_MAX)))


def _read(case: Fields) -> Mapping[str, Any]:
    return _told(read_key(case.text("text")))


def _told(key: int) -> Mapping[str, Any]:
    return {"key": key, "leaseholder": leaseholder_of(key), "local": local_of(key), "free": is_free(key)}


QUESTIONS: Final[dict[str, Callable[[Fields], Mapping[str, Any]]]] = {"new_key": _made, "parse_key": _read}
