"""A program in any language is an adapter; one that dies, is silent or speaks nonsense is an error by name.

Justified by docs/reference/adapter-protocol.md, As JSON lines.
"""

from __future__ import annotations

import sys
from contextlib import closing
from itertools import islice
from typing import Any

import pytest

from quorate import AtEnd, Command, Gap, Indefinite, Record, Refused
from quorate.adapters.driven import Driven
from quorate.adapters.errors import (
    AdapterDied,
    AdapterError,
    AdapterFailed,
    AdapterNonsense,
    AdapterSilent,
    NoSuchAdapter,
    NotAnAdapter,
)
from tests.support.adapters import EXAMPLES, program

PATIENCE_S = 20.0
SAMPLE = [sys.executable, str(EXAMPLES / "memory.py")]


def command(*argv: str, timeout_s: float = PATIENCE_S) -> Any:
    """Return a factory of logs that ends its program at the end of a block."""
    return closing(Command(argv, timeout_s))


def test_a_program_is_driven_like_a_class() -> None:
    with command(*SAMPLE) as factory, closing(Driven(factory)) as log:
        assert (log.system, sorted(log.can)) == ("memory in Python", ["tail", "trim"])
        assert [log.append("w", payload.encode()) for payload in ("a", "\u00fc\n")] == [0, 1]
        assert list(islice(log.read("r", 0), 3)) == [Record(0, b"a"), Record(1, "\u00fc\n".encode()), AtEnd(2)]
        log.do("trim", 0)
        assert next(log.read("r", 0)) == Gap(0, 0, "trim")
        assert log.tail("r") == 2


def test_one_process_serves_one_new_log_after_the_other() -> None:
    with command(*SAMPLE) as factory:
        for _ in range(2):
            with closing(Driven(factory)) as log:
                assert log.append("w", b"a") == 0


ABLE = """
if "quorate_adapter" in question:
    answer |= {"can": ["client", "crash", "jump_clock", "close", "tail", "seal", "holds"], "nodes": ["n1", "n2"]}
elif question["do"] == "append":
    answer |= {"lsn": [2, len(question["client"])]}
elif question["do"] == "tail":
    answer |= {"lsn": 7 if question == {"id": question["id"], "do": "tail", "client": "me"} else None}
elif question["do"] == "crash":
    answer |= {} if question["node"] == "n2" else {"error": "no such node"}
elif question["do"] == "holds":
    answer |= {"records": [{"lsn": [1, 2], "payload": "a"}] if question["node"] == "n1" else [{"at_end": 3}]}
elif question["do"] == "jump_clock":
    answer |= {"unknown": "perhaps"} if question["by_ms"] < 0 else {"refused": "no"}
"""


def test_capabilities_are_asked_with_their_words() -> None:
    with command(*program(ABLE)) as factory, closing(Driven(factory)) as log:
        assert log.nodes == ("n1", "n2")
        assert log.append("me", b"a") == (2, 2)
        assert log.tail("me") == 7
        log.do("crash", "n2")
        log.do("seal")
        assert log.holds("n1") == [Record((1, 2), b"a")]
        with pytest.raises(AdapterNonsense, match="a record has lsn and payload"):
            log.holds("n2")
        with pytest.raises(AdapterFailed, match="no such node"):
            log.do("crash", "n1")
        with pytest.raises(Indefinite, match="perhaps"):
            log.do("jump_clock", "n1", -5)
        with pytest.raises(Refused, match="no"):
            log.do("jump_clock", "n1", 5)


WRONG: dict[str, tuple[str, type[AdapterError]]] = {
    "it dies": ("sys.exit('out of memory') if 'do' in question else None", AdapterDied),
    "it dies at once": ("sys.exit(3)", AdapterDied),
    "it speaks no JSON": ("print('hello')", AdapterNonsense),
    "it gives no object": ("answer = [answer]", AdapterNonsense),
    "it forgets the id": ("answer.pop('id', None)", AdapterNonsense),
    "it is asked another version": ("answer = {'quorate_adapter': 2}", NotAnAdapter),
    "it can fly": ("answer['can'] = ['fly']", NotAnAdapter),
    "it lists no texts": ("answer['promises'] = 'speed'", NotAnAdapter),
    "it gives no LSN": ("answer['lsn'] = '7'", AdapterNonsense),
    "it says that it cannot go on": ("answer['error'] = 'disk full'", AdapterFailed),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_program_that_is_no_adapter_is_an_error_by_name(name: str) -> None:
    source, error = WRONG[name]
    with command(*program(source)) as factory, pytest.raises(error, match="Try: "):
        Driven(factory).append("w", b"a")


def test_a_program_that_dies_is_quoted_and_started_again_for_the_next_log() -> None:
    with command(*program("sys.exit('out of memory') if question.get('do') == 'append' else None")) as factory:
        for _ in range(2):
            with pytest.raises(AdapterDied, match=r"'append'.*ended with 1: out of memory"):
                Driven(factory).append("w", b"a")


def test_a_program_that_is_silent_is_ended() -> None:
    silent = "sys.stdin.read() if question.get('do') == 'append' else None"
    with command(*program(silent), timeout_s=1.0) as factory, pytest.raises(AdapterSilent, match="within 1 s"):
        Driven(factory).append("w", b"a")


def test_a_step_without_meaning_is_nonsense() -> None:
    for said in ("{'lsn': 0}", "{'gap': 3, 'reason': 'hole'}", "{'payload': 'a'}", "{'at_end': None}"):
        with command(*program(f"answer |= {said}")) as factory, pytest.raises(AdapterNonsense):
            next(Driven(factory).read("r", 0))


def test_a_program_that_is_not_there_is_named() -> None:
    with pytest.raises(NoSuchAdapter, match="no-such-program-here"):
        Command(["no-such-program-here"])()
