"""What a step does to a log, and what is recorded of it: a valid trace, in the order of the steps.

Justified by docs/reference/guarantees.md, How a history is written, and docs/reference/adapter-protocol.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from conformance.check.checking import verdict_of_events
from quorate import Indefinite, Record, Refused
from quorate.adapters.errors import AdapterFailed
from quorate.reference import ReferenceLog
from quorate.suite.guarantees import BY_NAME
from quorate.suite.judging import Conditions, Profile, find
from quorate.suite.running import Run, run
from quorate.suite.steps import plan_of
from spec.language.outcomes import Verdict
from tests.support.adapters import AsyncMemory, Memory
from tests.support.mylog_mutants import Adapter

PATIENCE_S = 20.0

TOLD: dict[str, tuple[str, str]] = {
    "an append": ("w1 append a", "invoke ack"),
    "an append whose answer nobody hears": ("w1 append a unheard", "invoke indefinite"),
    "one that is heard of later": ("w1 append a unheard; w1 hear; w1 hear", "invoke indefinite ack"),
    "appends at once": ("together w1 a + w2 b", "invoke invoke ack ack"),
    "a read": ("w1 append a; r1 drain", "invoke ack read deliver at_end"),
    "a read of some steps": (
        "together w1 a + w1 b; r1 take 1; r1 take 1",
        "invoke invoke ack ack read deliver deliver",
    ),
    "a read that goes on": ("r1 drain; w1 append a; r1 take 1", "read at_end invoke ack deliver"),
    "a read in the middle": (
        "together w1 a + w1 b; r1 seek #1; r1 take 2",
        "invoke invoke ack ack read deliver at_end",
    ),
    "a read after the last": ("w1 append a; r1 seek end; r1 take 1", "invoke ack read at_end"),
    "the tail": ("r1 tail", "at_end"),
    "a trim": ("w1 append a; trim #4; r1 drain", "invoke ack trim read gap at_end"),
    "a trim of nothing": ("trim #0", ""),
    "a crash": ("crash log; w1 append a; r1 drain; restart log; r1 tail", "fault invoke indefinite read fault at_end"),
    "what no adapter can do": ("jump log 5; pause log; crash elsewhere; seal; look log", ""),
}
ANSWERS = [(Refused, "fail"), (Indefinite, "indefinite"), (TimeoutError, "indefinite")]


def kinds(ran: Run) -> str:
    """Return the kinds of the events that were recorded."""
    return " ".join(event["kind"] for event in ran.said)


@pytest.mark.parametrize("name", TOLD)
def test_a_step_is_recorded_as_clients_see_it(name: str) -> None:
    steps, told = TOLD[name]
    ran = run(plan_of(steps), Adapter, PATIENCE_S)
    assert kinds(ran) == told
    assert verdict_of_events(ran.header, ran.events).verdict is not Verdict.VIOLATED


def test_epochs_end_and_nodes_are_looked_at() -> None:
    appends = "w1 append a; seal; w1 append b; together w1 c + w2 d + seal; w1 append e; w1 append f"
    ran = run(plan_of(f"{appends}; r1 seek border; r1 take 1; look n0"), ReferenceLog, PATIENCE_S)
    (begun,) = (event for event in ran.said if event["kind"] == "read")
    epochs = [event["epoch"] for event in ran.said if event["kind"] == "ack"]
    assert max(epochs) > 1
    assert begun["epoch"] < max(epochs)
    assert {event["recorder"] for event in ran.said if event["kind"] == "store"} == {"n0"}
    assert ran.header.recorders["n0"].records == {"store": "partial"}


def test_nodes_that_hold_something_else_are_found_out() -> None:
    class Torn(Memory):
        nodes = ("a", "b")

        def holds(self, node: str) -> list[Record]:
            return [Record(lsn, text if node == "a" else b"z") for lsn, text in enumerate(self.records)]

    guarantee = BY_NAME["copies_agree"]
    findings = find(guarantee, Conditions(Torn, "1", Profile(5, 20), PATIENCE_S), Torn.nodes)
    assert findings.broken is not None
    assert findings.broken.rules[0] in guarantee.rules


def test_coroutines_are_run_alike() -> None:
    steps = plan_of("w1 append a; r1 drain; r1 tail; trim #0")
    assert kinds(run(steps, AsyncMemory, PATIENCE_S)) == "invoke ack read deliver at_end at_end trim"


@pytest.mark.parametrize(("error", "told"), ANSWERS)
def test_what_the_log_answers_is_recorded(error: type[Exception], told: str) -> None:
    class Failing(Memory):
        def append(self, payload: bytes) -> int:
            raise error(f"no {len(payload)} bytes")

    ran = run(plan_of("w1 append a; w1 append b unheard"), Failing, PATIENCE_S)
    assert kinds(ran) == f"invoke {told} invoke indefinite"


def test_a_reader_is_not_read_for_ever() -> None:
    class Endless(Memory):
        def read(self, start: Any) -> Iterator[Any]:
            while True:
                yield from list(super().read(start))[:-1]

    ran = run(plan_of("w1 append a; r1 drain"), Endless, PATIENCE_S)
    assert len(ran.lines) < 200


def test_an_error_of_the_adapter_is_no_observation() -> None:
    factory: Callable[[], Any] = type("Odd", (Memory,), {"append": lambda _self, payload: payload[7]})
    with pytest.raises(AdapterFailed, match="append raised IndexError"):
        run(plan_of("w1 append a"), factory, PATIENCE_S)
