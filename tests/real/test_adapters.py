"""Real systems behind the adapter protocol: the suite asks them as it asks any log, and crashes their nodes.

Strong settings keep what they promise, and weak ones break: docs/how-to/ask-a-real-system.md. Kafka's producer
configuration, "acks": with all and min.insync.replicas 2 an acknowledged record survives one dead node, with 1 it
may be lost; BookKeeper documentation, "The BookKeeper protocol": with an ack quorum of 2 an entry survives one, and
a reader that does not recover a ledger sees what its writer confirmed; NATS documentation, JetStream Clustering: of
three replicas, one may fail; Streams, storage type: what is in memory is lost with its server; Restate
documentation, Invoke a handler over HTTP: what has an idempotency key is carried out once.
"""

from __future__ import annotations

import pytest

from tests.real.conftest import Asked
from tests.support.asked_systems import PAGE, SYSTEMS, page, without_counts

pytestmark = [pytest.mark.real, pytest.mark.together("programs")]

BROKEN = {
    "bookkeeper:unrecovered": "client.read.nothing_beyond_the_end",
    "kafka:acks_leader": "client.append.one_per_lsn",
    "nats:single": "client.append.one_per_lsn",
    "restate:unkeyed": "client.append.once",
}
"""Weak settings, and a rule that each of them breaks."""


@pytest.mark.costly("starts the servers of all systems, if it is the first to ask, and crashes them")
@pytest.mark.parametrize("name", SYSTEMS)
def test_what_a_strong_setting_promises_it_keeps_and_a_weak_one_breaks(name: str, asked: Asked) -> None:
    answers = asked(name)
    strong, weak = (f"{name}:{setting}" for setting in (SYSTEMS[name].strong, SYSTEMS[name].weak))
    held = [answer.name for answer in answers if answer.adapter == strong and answer.verdict == "holds"]
    assert {"no_loss", "tail_honest", "trim_honest", "crashes"} <= set(held)
    assert ("script" in held) is not SYSTEMS[name].waits
    assert all(int(answer.said["instances"]) for answer in answers if answer.verdict == "holds")
    violated = {(answer.adapter, answer.name): answer.rules for answer in answers if answer.verdict == "violated"}
    assert violated.keys() == {(weak, "script")}
    assert BROKEN[weak] in violated[weak, "script"]


def test_the_page_is_what_the_systems_said(asked: Asked, request: pytest.FixtureRequest) -> None:
    """Run pytest with --rewrite to renew the page; how much was decided differs from run to run."""
    answers = [answer for name in SYSTEMS for answer in asked(name)]
    if request.config.getoption("--rewrite"):
        PAGE.write_text(page(answers), encoding="utf-8")
    assert without_counts(PAGE.read_text(encoding="utf-8")) == without_counts(page(answers))
