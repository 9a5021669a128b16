"""Clients as texts never see them: they ask early, hear late or never, lose patience, and go on with something else."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Final

from reference_impl.telling.chronicle import STEP_NS, Chronicle, Entry
from spec.events import Ack, Indefinite, Invoke, Refused

CLIENTS: Final = 2
STREAMS: Final = CLIENTS
"""The client whose appends are a stream; it hears of them in their order, and of none after one that is lost."""

PATIENCE_STEPS: Final = 6
"""A client that loses patience does so within so many steps, one that is answered hears of it within as many."""


@dataclass
class Asked:
    """One append that a client asked for.

    Attributes:
        gives_up_at: when the client stops waiting; None if it never does.
    """

    client: int
    digest: int
    invoked: Entry
    gives_up_at: int | None
    is_answered: bool = False


class Clients:
    """Clients that append to one cluster.

    Args:
        chronicle: where they write.
        chance: of all that they choose.
        are_eager: all answers are heard at once, and nobody gives up.
    """

    def __init__(self, chronicle: Chronicle, chance: Random, *, are_eager: bool) -> None:
        self.chronicle, self.chance, self.are_eager = chronicle, chance, are_eager
        self.asked: dict[tuple[int, int, int], Asked] = {}
        self.free_from = [0] * (CLIENTS + 1)
        self.hears_from = 0
        self.is_deaf = False

    @property
    def names(self) -> list[str]:
        """The names of their recorders."""
        return [_name(client) for client in range(CLIENTS + 1)]

    def append(self, lsn: tuple[int, int, int], digest: int, *, in_stream: bool = False) -> Asked:
        """A sequencer gives an LSN to what some client had asked for."""
        client = STREAMS if in_stream else self.chance.randrange(CLIENTS)
        now = self.chronicle.now
        begun = now - 1 if self.are_eager else self.chance.randint(min(self.free_from[client], now - 1), now - 1)
        self.free_from[client] = begun
        invoked = self.chronicle.write_at(begun, _name(client), Invoke, log=lsn[0], writer=client, digest=digest)
        asked = self.asked[lsn] = Asked(client, digest, invoked, None if self.are_eager else self._patience(now))
        return asked

    def answer(self, lsn: tuple[int, int, int], **promised: object) -> None:
        """The client is sent an acknowledgement, which it hears at some time, unless that is lost or comes too late.

        An answer to what nobody had asked for goes to nobody.
        """
        if lsn not in self.asked:
            return
        asked, now = self.asked[lsn], self.chronicle.now
        heard_at = now if self.are_eager else self._later(now)
        is_lost = not self.are_eager and self.chance.random() < 1 / 4
        gave_up = asked.gives_up_at is not None and asked.gives_up_at <= heard_at
        if asked.client == STREAMS:
            heard_at = self.hears_from = max(heard_at, self.hears_from + 1)
            self.is_deaf = is_lost = self.is_deaf or is_lost or gave_up
        if asked.is_answered or is_lost or gave_up:
            return
        asked.is_answered = True
        log, epoch, esn = lsn
        self.chronicle.write_at(
            heard_at,
            _name(asked.client),
            Ack,
            log=log,
            epoch=epoch,
            esn=esn,
            writer=asked.client,
            digest=asked.digest,
            invoked=asked.invoked,
            **promised,
        )

    def refuse(self, log: int, digest: int) -> None:
        """A client asks for an append that no sequencer takes, and hears so at some time."""
        now, client = self.chronicle.now, self.chance.randrange(CLIENTS)
        self.free_from[client] = now
        named = {"log": log, "writer": client, "digest": digest}
        invoked = self.chronicle.write(_name(client), Invoke, **named)
        self.chronicle.write_at(self._later(now), _name(client), Refused, invoked=invoked, **named)

    def leave(self) -> None:
        """Who lost patience says so; others wait for ever."""
        for (log, _, _), asked in self.asked.items():
            if asked.is_answered or asked.gives_up_at is None:
                continue
            named = {"log": log, "writer": asked.client, "digest": asked.digest, "invoked": asked.invoked}
            self.chronicle.write_at(asked.gives_up_at, _name(asked.client), Indefinite, **named)

    def _patience(self, now: int) -> int | None:
        return self._later(now) if self.chance.random() < 1 / 2 else None

    def _later(self, now: int) -> int:
        return now + self.chance.randint(1, PATIENCE_STEPS * STEP_NS)


def _name(client: int) -> str:
    return f"client-{client}"
