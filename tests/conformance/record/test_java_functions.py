"""Many calls cross into a JVM as one, and one that fails or is late spoils none of the others.

Justified by the house's rules that bad input gives a named error, and that nothing is waited for without end.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from conformance.record.java_functions import FAILED, FUTURE, STRING, Functions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OBJECT, LONG = "java.lang.Object", "java.lang.Long"


@pytest.fixture
def java(spark: SparkSession, tmp_path: Path) -> Functions:
    """Functions in a JVM that is there anyway."""
    return Functions(spark._jvm, tmp_path)


def doubled(java: Functions) -> Any:
    """From the text of a number to a future: twice the text, with a dash between."""
    text = java.then(
        java.method("java.lang.Long", "parseLong", STRING), java.method("java.lang.Long", "toString", "long")
    )
    dashed = java.then(text, java.method(STRING, "concat", STRING, of="-"))
    twice = java.both(java.method(STRING, "concat", STRING), text, dashed)
    return java.then(twice, java.method(FUTURE, "completedFuture", OBJECT))


def test_lines_are_answered_in_their_order_and_failures_in_their_places(java: Functions) -> None:
    ask = java.together(java.in_time(doubled(java), java.method(STRING, "trim"), 1000))
    one, two, three = ask(["1", "no number", "3"])()
    assert (one, three) == ("1-1", "3-3")
    assert two.startswith(f"{FAILED}java.lang.NumberFormatException: ")
    assert ask([])() == []


def test_what_is_told_of_an_answer_may_fail_too(java: Functions) -> None:
    told = java.then(java.method(LONG, "parseLong", STRING), java.method(LONG, "toString", "long"))
    (said,) = java.together(java.in_time(doubled(java), told, 1000))(["1"])()
    assert said.startswith(f"{FAILED}java.lang.NumberFormatException: ")


def test_what_never_comes_is_late(java: Functions) -> None:
    in_vain = java.method("java.util.HashMap", "getOrDefault", OBJECT, OBJECT, of=java.new("java.util.HashMap"))
    asking = java.then(java.method(STRING, "trim"), java.given(in_vain, java.new(FUTURE)))
    (said,) = java.together(java.in_time(asking, java.method(STRING, "trim"), 10))(["1"])()
    assert said == f"{FAILED}java.util.concurrent.TimeoutException"
