"""Every protocol text by name, the small worlds in which it is explored, and the wrong forms to refute."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Final

from spec.language.protocol import Protocol, World
from spec.offers import names, offered
from spec.protocols import (
    appending_forms,
    appending_variants,
    delivery_forms,
    delivery_variants,
    ensemble_change_variants,
    epoch_variants,
    leaseholder_variants,
    ledger_variants,
    mutation_variants,
    reads_variants,
    recovery_variants,
    segment_iterator_variants,
    streams_variants,
)
from spec.protocols.appending import Appending, appender
from spec.protocols.delivery import Delivery, read_stream
from spec.protocols.ensemble_change import EnsembleChange, fragments
from spec.protocols.epoch import Epoch, life
from spec.protocols.leaseholder import Leaseholder, callers
from spec.protocols.ledger import Ledger, ensemble
from spec.protocols.mutation import Mutation, partly_read_only
from spec.protocols.reads import Reads, read_path
from spec.protocols.recovery import Recovery, cluster
from spec.protocols.segment_iterator import SegmentIterator, reader
from spec.protocols.streams import Streams, streaming
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
        forms: other right forms by name, such as what a document says and what a system does.
    """

    name: str
    protocol: type[Protocol]
    world: Callable[..., World]
    variants: Mapping[str, type[Protocol]]
    forms: Mapping[str, type[Protocol]] = field(default_factory=dict)

    @property
    def bounds(self) -> dict[str, int]:
        """What can be bounded, and by how much it is unless one says otherwise."""
        return {name: one.default for name, one in inspect.signature(self.world).parameters.items()}

    @property
    def sentence(self) -> str:
        """What the text is about: the first line of its docstring."""
        return inspect.cleandoc(self.protocol.__doc__ or "").partition("\n")[0]

    def form(self, variant: str = "") -> type[Protocol]:
        """The text, or one of its variants or other forms.

        Raises:
            UnknownText: there is no such variant.
        """
        known = {"": self.protocol, **self.variants, **self.forms}
        if variant not in known:
            names = ", ".join(filter(None, known)) or "none"
            raise UnknownText(f"{self.name} has no variant {variant!r}: it has {names}")
        return known[variant]

    def small(self, variant: str = "", **bounds: int) -> World:
        """A world of the text, or of one of its variants or other forms.

        Raises:
            UnknownText: there is no such variant.
            BadWorld: the bounds leave no room for the names that sorts have.
        """
        form, world = self.form(variant), self.world(**bounds)
        return replace(world, protocol=form) if variant else world


def snake(name: str) -> str:
    """A class's name as commands write it."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def _text(
    protocol: type[Protocol],
    world: Callable[..., World],
    wrong: ModuleType | None = None,
    right: ModuleType | None = None,
) -> Text:
    """A text with all wrong forms of a module, and all right forms of another."""
    return Text(snake(protocol.__name__), protocol, world, _forms(protocol, wrong), _forms(protocol, right))


def _forms(protocol: type[Protocol], module: ModuleType | None) -> dict[str, type[Protocol]]:
    forms = [] if module is None else [one for one in vars(module).values() if isinstance(one, type)]
    return {snake(one.__name__): one for one in forms if issubclass(one, protocol) and one is not protocol}


TEXTS: Final = {
    text.name: text
    for text in (
        _text(Recovery, cluster, recovery_variants),
        _text(Streams, streaming, streams_variants),
        _text(Mutation, partly_read_only, mutation_variants),
        _text(Appending, appender, appending_variants, appending_forms),
        _text(Reads, read_path, reads_variants),
        _text(Delivery, read_stream, delivery_variants, delivery_forms),
        _text(Ledger, ensemble, ledger_variants),
        _text(EnsembleChange, fragments, ensemble_change_variants),
        _text(Leaseholder, callers, leaseholder_variants),
        _text(SegmentIterator, reader, segment_iterator_variants),
        _text(TwoPhase, transaction),
        _text(Epoch, life, epoch_variants),
    )
}
"""Quorate's own texts by name."""


GROUP: Final = "quorate.texts"
"""The entry points at which packages offer a ``Text`` of their own."""


def text_names() -> tuple[str, ...]:
    """The names of all texts: quorate's own, and those that installed packages offer."""
    return names(GROUP, TEXTS)


def every_text() -> Iterator[Text]:
    """All texts.

    Raises:
        BrokenPackage: a package offers one and cannot give it.
    """
    return map(text, text_names())


def text(name: str) -> Text:
    """A protocol text by its name.

    Raises:
        UnknownText: there is none.
        BrokenPackage: a package offers it and cannot give it.
    """
    found: Text | None = TEXTS.get(name) or offered(GROUP, name)
    if found is None:
        raise UnknownText(f"no protocol text {name!r}: there are {', '.join(text_names())}")
    return found
