"""What is told of a run is a trace as anybody would record it: the vocabulary and the header allow each event.

Justified by ``conformance.trace``, which refuses what is mistyped, unknown or out of range.
"""

from __future__ import annotations

from collections import defaultdict
from random import Random

import pytest

from conformance.headings import header_from
from conformance.trace.rows import Rows
from reference_impl.telling.chronicle import Chronicle, Clocks
from reference_impl.telling.runs import at_random
from reference_impl.telling.teller import Told
from reference_impl.telling.tellers import TELLERS
from reference_impl.telling.wrong import way_from
from spec.events import Ack, Event, Indefinite, Invoke, Refused, Release
from spec.language.events import all_events
from spec.language.protocol.running import PackedWorld
from spec.protocols.registry import TEXTS
from tests.support.told_texts import LARGER, OPENINGS

WORDS = {event.kind: event.word for event in all_events(Event)}


def a_telling(text: str, clocks: Clocks = "exact") -> Told:
    """One long run."""
    chance = Random(text)
    machine = PackedWorld(TEXTS[text].small(**LARGER[text]))
    opening = way_from(machine, OPENINGS[text][-1])
    return TELLERS[text](machine, chance).tell(at_random(machine, chance, 200, opening), clocks)


@pytest.mark.parametrize("clocks", ["exact", "absent"])
@pytest.mark.parametrize("text", TELLERS)
def test_every_event_is_one_of_the_vocabulary(text: str, clocks: Clocks) -> None:
    """Of a kind that its recorder said it records."""
    told = a_telling(text, clocks)
    header = header_from(told.heading)
    rows = Rows(header)
    for event in told.rows:
        rows.checked(event)
        assert WORDS[event["kind"]] in header.recorders[event["recorder"]].records


@pytest.mark.parametrize("text", TELLERS)
def test_recorders_have_an_order_and_a_clock_of_their_own(text: str) -> None:
    """Numbers count up from 1, and clocks do not go back."""
    last: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for event in a_telling(text, "bounded").rows:
        seq, time = last[event["recorder"]]
        assert event["seq"] == seq + 1
        assert event["time_ns"] >= time
        last[event["recorder"]] = (event["seq"], event["time_ns"])


def test_clients_hear_late_or_never_and_lose_patience() -> None:
    """All that can become of an append does, in some run."""
    rows = [event for text in TELLERS for event in a_telling(text).rows]
    kinds = {event["kind"] for event in rows}
    assert {Invoke.kind, Ack.kind, Indefinite.kind, Refused.kind} <= kinds


def test_the_same_chance_tells_the_same() -> None:
    """A telling can be repeated."""
    assert a_telling("epoch") == a_telling("epoch")


def test_fields_that_an_event_lacks_or_does_not_have_are_refused() -> None:
    """A teller that forgets something is told what."""
    chronicle = Chronicle()
    chronicle.write("controller", Release, log=1, epoch=1)
    with pytest.raises(TypeError, match="Release needs esn"):
        chronicle.rows("exact")
    chronicle = Chronicle()
    chronicle.write("controller", Release, log=1, epoch=1, esn=1, node=0)
    with pytest.raises(TypeError, match="Release has no field node"):
        chronicle.rows("exact")
