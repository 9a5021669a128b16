"""How traces of counters are followed by the text, and how runs of the text are told as traces."""

from __future__ import annotations

from typing import Any, Final

from examples.counters import Raised, Told
from examples.counters.text import COUNTING, Counting
from reference_impl.following.checker import Followed
from reference_impl.following.direct import Direct
from reference_impl.kernel.heading import Heading
from reference_impl.simulating.simulated import Options, from_text

STEPS: Final = Direct(Counting, {Raised: ("put", "total"), Told: ("tell", "recorder", "total")})

FOLLOWED: Final = Followed(
    family="counters",
    text="counting",
    subject=lambda event: event["counter"],
    guide=lambda _: STEPS.guide(),
    needs=(Raised.word, Told.word),
    leaves_out="nothing",
)
"""What a package offers as an entry point of ``quorate.abstractions``."""


def heading(options: Options) -> Heading:
    """Who records what."""
    readers = {f"reader-{reader}": ("reader", (Told.word,)) for reader in range(options["readers"])}
    return Heading("an abacus", "counters", 32, {"keeper": ("keeper", (Raised.word,)), **readers})


def place(number: int) -> dict[str, Any]:
    """All in one term of one counter."""
    return {"recorder": "keeper", "seq": number, "time_ns": number, "counter": 1, "term": 1, "step": number}


SIMULATED: Final = from_text("counters", COUNTING, heading, lambda _, run: STEPS.events_of(run, place))
"""What a package offers as an entry point of ``quorate.simulations``."""
