"""A program that speaks the adapter protocol: asked one thing after the other, in JSON lines.

What is said, and by which version, stands in docs/reference/adapter-protocol.md.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from itertools import count
from queue import Empty, SimpleQueue
from tempfile import TemporaryFile
from threading import Lock, Thread
from typing import Any, Final

from quorate.adapters.errors import (
    AdapterDied,
    AdapterFailed,
    AdapterNonsense,
    AdapterSilent,
    NoSuchAdapter,
    NotAnAdapter,
)
from quorate.adapters.protocol import CAPABILITIES, Indefinite, Lsn, Refused

VERSION: Final = 1
"""The version of the protocol that is spoken here."""

HELLO: Final = "quorate_adapter"
"""The field by which both sides say which version they speak."""

TOLD: Final = 500
"""Characters of a program's standard error that an error repeats."""


class Program:
    """A running program that is asked one thing after the other.

    Raises:
        NoSuchAdapter: it cannot be started.
        AdapterError: another of its kinds, if it does not say the right hello.
    """

    def __init__(self, argv: Sequence[str], timeout_s: float) -> None:
        self.called, self._timeout_s = " ".join(argv), timeout_s
        self._numbers, self._streams = count(1), count(1)
        self._turn = Lock()
        self._heard: SimpleQueue[bytes] = SimpleQueue()
        self._errors = TemporaryFile()  # noqa: SIM115 - it lives as long as the program
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=self._errors)
        except OSError as error:
            self._errors.close()
            why = error.strerror or str(error)
            raise NoSuchAdapter("it cannot be started", why, "check the path", self.called) from None
        self._listener = Thread(target=self._listen, daemon=True)
        self._listener.start()
        try:
            self._say({HELLO: VERSION})
            self._introduce(self._hear(HELLO))
        except Exception:
            self.end()
            raise

    def is_alive(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    def next_stream(self) -> int:
        """A number that no read of this program had."""
        return next(self._streams)

    def ask(self, do: str, **said: object) -> Mapping[str, Any]:
        """Ask one thing; gives the answer.

        Raises:
            Refused, Indefinite: the answer says so.
            AdapterError: one of its kinds, if there is none, or it says nothing.
        """
        with self._turn:
            number = next(self._numbers)
            self._say({"id": number, "do": do, **said})
            answer = self._hear(do)
        if answer.get("id") != number:
            raise self._nonsense(do, answer, f"an answer repeats the id of its question, here {number}")
        return self._meaning(do, answer)

    def lsn(self, do: str, **said: object) -> Lsn:
        """Ask for an LSN.

        Raises:
            Refused, Indefinite: the answer says so.
            AdapterError: one of its kinds, if it is no LSN.
        """
        return lsn_of(self.ask(do, **said), "lsn", self)

    def end(self) -> None:
        """Let it end: it is told by the end of its input, and else killed."""
        with suppress(OSError):
            self._stdin.close()
        try:
            self._process.wait(self._timeout_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._listener.join()
        self._errors.close()

    @property
    def _stdin(self) -> Any:
        return self._process.stdin

    def _listen(self) -> None:
        with self._process.stdout or nullcontext(()) as lines:
            for line in lines:
                self._heard.put(line)
        self._heard.put(b"")

    def _say(self, said: Mapping[str, object]) -> None:
        try:
            self._stdin.write(json.dumps(said).encode() + b"\n")
            self._stdin.flush()
        except OSError:
            raise self._died("question") from None

    def _hear(self, do: str) -> Mapping[str, Any]:
        try:
            line = self._heard.get(timeout=self._timeout_s)
        except Empty:
            self._process.kill()  # a late answer must not be taken for that of the next question
            what, advice = f"no answer within {self._timeout_s:g} s", "answer every line, and flush; or wait longer"
            raise AdapterSilent(what, "a log that does not answer says unknown", advice, self._at(do)) from None
        if not line:
            raise self._died(do)
        try:
            said = json.loads(line)
        except ValueError:
            said = None
        if not isinstance(said, dict):
            raise self._nonsense(do, line, "each line is one JSON object; other output goes to standard error")
        return said

    def _introduce(self, said: Mapping[str, Any]) -> None:
        if said.get(HELLO) != VERSION:
            why = f"version {VERSION} is spoken here"
            raise NotAnAdapter(f"its hello says {said!r:.80}", why, f'{{"{HELLO}": {VERSION}}}', self.called)
        self.system, self.can = str(said.get("system", self.called)), _texts(said, "can", self.called)
        self.promises = _texts(said, "promises", self.called)
        self.nodes = _texts(said, "nodes", self.called) or ("log",)
        if unknown := set(self.can) - set(CAPABILITIES):
            known = f"capabilities are {', '.join(CAPABILITIES)}"
            raise NotAnAdapter(f"it can {', '.join(sorted(unknown))}", known, "leave it out", self.called)

    def _meaning(self, do: str, answer: Mapping[str, Any]) -> Mapping[str, Any]:
        if "refused" in answer:
            raise Refused(str(answer["refused"]))
        if "unknown" in answer:
            raise Indefinite(str(answer["unknown"]))
        if "error" in answer:
            why = f"{answer['error']}"[:TOLD]
            raise AdapterFailed("it says that it cannot go on", why, "mend the adapter", self._at(do))
        return answer

    def _nonsense(self, do: str, said: object, why: str) -> AdapterNonsense:
        return AdapterNonsense(f"it said {said!r:.80}", why, "docs/reference/adapter-protocol.md", self._at(do))

    def _died(self, do: str) -> AdapterDied:
        code = self._process.wait()
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace").strip()[-TOLD:]
        return AdapterDied(f"it ended with {code}", said or "it said nothing", "run it by itself", self._at(do))

    def _at(self, do: str) -> str:
        return f"{self.called}, asked for {do!r}"


def lsn_of(said: Mapping[str, Any], name: str, program: Program) -> Lsn:
    """The LSN that a field of an answer says.

    Raises:
        AdapterNonsense: it says none.
    """
    match said.get(name):
        case int(lsn):
            return lsn
        case [int(epoch), int(number)]:
            return epoch, number
    why = f"{name} is a whole number, or an epoch and a number"
    raise AdapterNonsense(f"it said {dict(said)!r:.80}", why, "7, or [2, 7]", program.called)


def _texts(said: Mapping[str, Any], name: str, where: str) -> tuple[str, ...]:
    told = said.get(name, [])
    if not isinstance(told, list) or not all(isinstance(one, str) for one in told):
        raise NotAnAdapter(f"its {name} is {told!r:.40}", "it is a list of texts", "leave it out", where)
    return tuple(told)
