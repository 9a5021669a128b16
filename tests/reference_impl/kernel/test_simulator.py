"""The simulator: one clock, hosts that crash and sleep, a network that loses, repeats and delays.

The design (architecture, protocol texts and the model) asks for steps that are pure and a simulator that is seeded.
"""

from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

import pytest

from reference_impl.kernel.faults import Rate, schedule
from reference_impl.kernel.mix import mix
from reference_impl.kernel.simulator import Cut, Entity, Simulator
from reference_impl.kernel.step import After, Handlers, Moment, Note, Send, Stepped, step
from reference_impl.kernel.weather import CALM, Weather


class Ping(NamedTuple):
    """Somebody asks."""

    number: int


class Nap(NamedTuple):
    """Time to ask again."""


A, B = ("a", 0, 0), ("b", 0, 0)


def answer(state: int, message: Ping, moment: Moment, context: Any) -> Stepped[int]:
    """Count what arrives; negative numbers are not enabled."""
    if message.number < 0:
        return None
    return state + 1, (Note({"kind": 0, "number": message.number, "order": moment.order}),)


def ask(state: int, message: Nap, moment: Moment, context: Any) -> Stepped[int]:
    """Ask, and ask again after a while, ten times."""
    if state == 10:
        return None
    return state + 1, (Send(B, Ping(state)), After(1_000_000, Nap()))


HANDLERS: Handlers = {Ping: answer, Nap: ask}


def two_hosts(weather: Weather, seed: int = 1) -> Simulator:
    """A on host 0 asks B on host 1."""
    simulator = Simulator(seed, weather, context=None)
    simulator.entities[A] = Entity(HANDLERS, 0, "a", 0, lambda _: 0)
    simulator.entities[B] = Entity(HANDLERS, 0, "b", 1, lambda _: 0)
    simulator.at(0, A, Nap())
    return simulator


def numbers(events: Iterator[dict[str, Any]]) -> list[int]:
    """What B recorded."""
    return [event["number"] for event in events]


def test_a_calm_network_delivers_everything_once() -> None:
    """Events carry their recorder, its own order and the virtual clock, which never goes back."""
    events = list(two_hosts(CALM).run())
    assert sorted(numbers(iter(events))) == list(range(10))
    assert [event["seq"] for event in events] == list(range(1, 11))
    assert [event["order"] for event in events] == list(range(1, 11))
    times = [event["time_ns"] for event in events]
    assert times == sorted(times)
    assert {event["recorder"] for event in events} == {"b"}


@pytest.mark.parametrize(
    ("weather", "arrive"), [(Weather(drop=1.0, duplicate=0, slow=0), 0), (Weather(0, 0, 0, 0, 0, 1.0), 20)]
)
def test_weather_loses_and_repeats(weather: Weather, arrive: int) -> None:
    """All messages lost; all messages repeated."""
    assert len(numbers(two_hosts(weather).run())) == arrive


def test_messages_overtake_each_other() -> None:
    """A slow network reorders."""
    slow = Weather(slow=0.5, slow_ns=50_000_000, drop=0, duplicate=0)
    found = numbers(two_hosts(slow).run())
    assert found != sorted(found)


def test_weather_that_cannot_be_is_refused() -> None:
    """Shares add up to at most one."""
    with pytest.raises(ValueError, match="is no weather"):
        Weather(drop=0.7, duplicate=0.7)


def test_a_crashed_host_hears_nothing_and_forgets() -> None:
    """Messages to a host that is down are lost, and its entities keep only what survives."""
    simulator = two_hosts(CALM)
    simulator.at(2_500_000, None, lambda: simulator.crash(1))
    simulator.at(6_500_000, None, lambda: simulator.restart(1))
    assert numbers(simulator.run()) == [0, 1, 2, 7, 8, 9]
    assert simulator.entities[B].state == 3


@pytest.mark.parametrize("crash_ns", [0, 10_000])
def test_a_crash_may_lose_what_was_being_sent(crash_ns: int) -> None:
    """Of messages on their way when their sender crashes some are lost, some arrive; it depends on the seed.

    What was sent at the same instant is on its way too.
    """
    found = set()
    for seed in range(20):
        simulator = two_hosts(CALM, seed)
        simulator.at(crash_ns, None, lambda s=simulator: s.crash(0))
        found.add(tuple(numbers(simulator.run())))
    assert found == {(), (0,)}


def test_a_host_that_sleeps_hears_later() -> None:
    """Nothing is lost by a pause; it only comes late."""
    simulator = two_hosts(CALM)
    simulator.at(2_500_000, None, lambda: simulator.pause(1, 4_000_000))
    events = list(simulator.run())
    assert sorted(numbers(iter(events))) == list(range(10))
    assert not [event for event in events if 2_500_000 < event["time_ns"] < 6_500_000]


def test_a_crash_ends_a_pause() -> None:
    """A host that was restarted is another process: it does not sleep on."""
    simulator = two_hosts(CALM)
    simulator.at(2_500_000, None, lambda: simulator.pause(1, 40_000_000))
    simulator.at(4_500_000, None, lambda: simulator.crash(1))
    simulator.at(4_600_000, None, lambda: simulator.restart(1))
    events = list(simulator.run())
    assert [event["number"] for event in events if 4_600_000 < event["time_ns"] < 20_000_000] == [5, 6, 7, 8, 9]


def test_what_is_not_enabled_does_nothing() -> None:
    """None means that a step is not enabled; so does a message that an entity does not know."""
    assert step(HANDLERS, 0, Ping(-1), Moment(0, 1), None) is None
    assert step(HANDLERS, 0, "what", Moment(0, 1), None) is None
    simulator = two_hosts(CALM)
    simulator.at(0, B, Ping(-1))
    simulator.at(0, B, "what")
    simulator.at(0, ("nobody", 0, 0), Ping(1))
    assert len(numbers(simulator.run())) == 10


def test_faults_come_in_order_and_without_end() -> None:
    """A schedule is drawn from its generator only."""
    rates = {"crash": Rate(10, 1, 5), "pause": Rate(25, 2, 2)}
    first, again = schedule(Random(7), rates), schedule(Random(7), rates)
    faults = [next(first) for _ in range(100)]
    assert faults == [next(again) for _ in range(100)]
    assert [fault.at_ns for fault in faults] == sorted(fault.at_ns for fault in faults)
    assert {fault.what for fault in faults} == {"crash", "pause"}
    assert all(fault.lasts_ns == 2 for fault in faults if fault.what == "pause")
    assert list(schedule(Random(7), {})) == []


def test_mixing_tells_numbers_apart() -> None:
    """Digests of different payloads differ, and fit 64 bits with sign."""
    mixed = {mix(0, number) for number in range(10_000)} | {mix(1, number) for number in range(10_000)}
    assert len(mixed) == 20_000
    assert all(0 <= value < 1 << 63 for value in mixed)


class TestNetworks:
    """A network may be cut in one direction, and a host may be slow."""

    def test_a_cut_loses_what_is_sent_one_way(self) -> None:
        whole, cut, back = two_hosts(CALM), two_hosts(CALM), two_hosts(CALM)
        cut.cuts.append(Cut(frozenset({0}), frozenset({1})))
        back.cuts.append(Cut(frozenset({1}), frozenset({0})))
        assert numbers(whole.run()) == numbers(back.run()) == list(range(10))
        assert numbers(cut.run()) == []

    def test_a_cut_may_name_whoever_has_no_host(self) -> None:
        simulator = two_hosts(CALM)
        simulator.entities[A].host = None
        simulator.cuts.append(Cut(frozenset({A}), frozenset({1})))
        assert numbers(simulator.run()) == []

    def test_what_a_slow_host_sends_takes_longer(self) -> None:
        usual, slow = two_hosts(CALM), two_hosts(CALM)
        slow.slow_ns[0] = 5_000_000
        times = [[event["time_ns"] for event in one.run()] for one in (usual, slow)]
        assert [late - time for time, late in zip(*times, strict=True)] == [5_000_000] * 10


def test_what_befalls_an_entity_needs_no_host() -> None:
    """It happens at once, also to those whose host is down; nobody minds that an address is unknown."""
    simulator = two_hosts(CALM)
    simulator.crash(1)
    simulator.give(B, Ping(5))
    simulator.give(("nobody", 0, 0), Ping(6))
    assert simulator.entities[B].state == 1
