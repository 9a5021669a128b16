"""Actors: clients are called as the header calls them, or by who recorded them; whoever answered them is named.

Justified by ``docs/reference/trace-format.md``, Names of clients, and by the promise that no two are told as one.
"""

from __future__ import annotations

from typing import Any

import pytest

from conformance.check.sentences import tell
from spec.events import Ack, AtEnd, Deliver, Gap, Invoke, Ship
from spec.events.universes import READERS, WRITERS
from spec.language.names import Names
from spec.log.story import STORY
from tests.support.tiny import at

NAMES = Names(
    {"nodes": ("n0", "n1")},
    {"writers": {1: "app-1", 2: "7", 3: "n1"}, "readers": {1: "audit"}},
    roles={"bench": "client", "client-4": "client", "n0": "node", "all": "controller"},
)


@pytest.mark.parametrize(
    ("writer", "recorder", "called"),
    [
        (1, "all", "app-1"),
        (1, "bench", "app-1"),
        (2, "all", "Client 7"),
        (3, "bench", "Client n1"),
        (4, "all", "Client 4"),
        (4, "bench", "bench (client 4)"),
        (4, "client-4", "Client 4"),
        (14, "client-4", "client-4 (client 14)"),
        (4, "n0", "Client 4"),
    ],
)
def test_a_writer_is_called_as_people_do(writer: int, recorder: str, called: str) -> None:
    """A name alone, unless it is a number or a node's; without one the recorder, if that is a client and says more."""
    assert tell(at(Invoke, writer=writer, digest=11, recorder=recorder), NAMES, STORY).startswith(f"{called} asked")


def test_writers_and_readers_are_named_apart() -> None:
    assert NAMES.of(WRITERS, 1) == "app-1"
    assert NAMES.of(READERS, 1) == "audit"
    assert NAMES.of(READERS, 2) == "reader 2"


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (at(Deliver, 1, 1, reader=1, digest=11), "audit was given payload 000000000000000b at e1n1, served by s2."),
        (at(AtEnd, 1, 1, reader=1), "audit was told by s2 that nothing is there from e1n1 on."),
        (
            at(Gap, 1, 1, reader=1, reason=3, upto_epoch=1, upto_esn=4),
            "audit was told by s2 that records are lost from e1n1 to e1n4.",
        ),
        (
            at(Ack, 1, 1, writer=1, digest=11),
            "app-1 was told by s2 that payload 000000000000000b is safe at e1n1.",
        ),
    ],
)
def test_who_answered_is_told(event: dict[str, Any], told: str) -> None:
    """By what the event says; else by its recorder, if that serves clients; else by nobody."""
    nobody = told.replace(", served by s2", "").replace(" by s2", "")
    assert tell({**event, "extra": {"served_by": "s2"}}, NAMES, STORY) == told
    assert tell({**event, "recorder": "n0"}, NAMES, STORY) == told.replace("s2", "n0")
    assert tell(event, NAMES, STORY) == nobody
    assert tell({**event, "extra": {"served_by": None, "x": 1}}, NAMES, STORY) == nobody


def test_an_epoch_ends_at_one_place() -> None:
    """A bridge's gap goes on to the end of its epoch."""
    gap = at(Gap, 1, 8, reader=1, reason=2, upto_epoch=1, upto_esn=(1 << 32) - 1)
    assert tell(gap, NAMES, STORY) == "audit was told that the epoch ends at e1n8."


def test_a_node_sends_to_a_reader_by_name() -> None:
    sent = at(Ship, 1, 1, node=0, digest=11, reader=1, life=1, order=1, becomes=0, upto_epoch=1, upto_esn=9)
    assert tell(sent, NAMES, STORY) == "n0 sent audit payload 000000000000000b at e1n1."
