"""Every protocol text by name, the small worlds in which it is explored, and the wrong forms to refute."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from spec.language.protocol import Protocol, World
from spec.protocols.recovery import Recovery, cluster
from spec.protocols.recovery_variants import BridgeAtFirstGap, LowestWins, OneCopyIsEnough, SealStopsOnlyTheSequencer
from spec.protocols.two_phase import TwoPhase, transaction


class UnknownText(LookupError):
    """No protocol text, or no variant of it, has this name."""


@dataclass(frozen=True)
class Text:
    """One protocol text.

    Attributes:
        name: what commands call it.
        protocol: the text.
        world: a small world of it, from bounds that are whole numbers with defaults.
        variants: wrong or historic forms by name, each of which breaks a goal.
    """

    name: str
    protocol: type[Protocol]
    world: Callable[..., World]
    variants: Mapping[str, type[Protocol]] = field(default_factory=dict)

    @property
    def bounds(self) -> dict[str, int]:
        """What can be bounded, and by how much it is unless one says otherwise."""
        return {name: one.default for name, one in inspect.signature(self.world).parameters.items()}

    @property
    def sentence(self) -> str:
        """What the text is about: the first line of its docstring."""
        return inspect.cleandoc(self.protocol.__doc__ or "").partition("\n")[0]

    def small(self, variant: str = "", **bounds: int) -> World:
        """A world of the text, or of one of its variants.

        Raises:
            UnknownText: there is no such variant.
        """
        world = self.world(**bounds)
        if not variant:
            return world
        if variant not in self.variants:
            known = ", ".join(self.variants) or "none"
            raise UnknownText(f"{self.name} has no variant {variant!r}: it has {known}")
        return replace(world, protocol=self.variants[variant])


TEXTS: Final = {
    text.name: text
    for text in (
        Text(
            "recovery",
            Recovery,
            cluster,
            {
                "lowest_wins": LowestWins,
                "bridge_at_first_gap": BridgeAtFirstGap,
                "one_copy_is_enough": OneCopyIsEnough,
                "seal_stops_only_the_sequencer": SealStopsOnlyTheSequencer,
            },
        ),
        Text("two_phase", TwoPhase, transaction),
    )
}
"""All texts by name."""


def text(name: str) -> Text:
    """A protocol text by its name.

    Raises:
        UnknownText: there is none.
    """
    if name not in TEXTS:
        raise UnknownText(f"no protocol text {name!r}: there are {', '.join(TEXTS)}")
    return TEXTS[name]
