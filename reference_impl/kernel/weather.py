"""Weather: what a network does to messages. Everything is drawn from the generator that is passed in."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random


@dataclass(frozen=True)
class Weather:
    """How bad a network is: shares are between 0 and 1, times in nanoseconds.

    Attributes:
        least_ns: the least delay of a message.
        spread_ns: how much more most messages take; different delays make messages overtake each other.
        slow: the share of messages that take much longer.
        slow_ns: how much longer at most.
        drop: the share of messages that are lost.
        duplicate: the share of messages that arrive twice.
    """

    least_ns: int = 50_000
    spread_ns: int = 300_000
    slow: float = 0.01
    slow_ns: int = 6_000_000
    drop: float = 0.01
    duplicate: float = 0.01

    def __post_init__(self) -> None:
        shares = (self.slow, self.drop, self.duplicate)
        if min(self.least_ns, self.spread_ns, self.slow_ns, *shares) < 0 or sum(shares) > 1:
            raise ValueError(f"{self} is no weather: delays are not negative, shares add up to at most 1")

    def delays(self, rng: Random) -> tuple[int, ...]:
        """The delays after which copies of one message arrive: none when it is lost, two when it is repeated."""
        fate = rng.random()
        delay = self.least_ns + int(rng.random() * self.spread_ns)
        if fate < self.drop:
            return ()
        fate -= self.drop
        if fate < self.duplicate:
            return (delay, delay + int(rng.random() * self.slow_ns))
        if fate - self.duplicate < self.slow:
            return (delay + int(rng.random() * self.slow_ns),)
        return (delay,)


CALM = Weather(slow=0.0, drop=0.0, duplicate=0.0)
"""A network that only delays, and so reorders."""
