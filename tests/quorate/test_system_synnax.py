"""Synnax behind the suite of segment layers, held to a client of the same shape: no registry carries a server.

What the client is called by comes from its release 0.49; what a real server says to it nobody has seen here, as
docs/explanation/not-promised.md states.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.cli import main
from conformance.segment.comparing import MODEL, Systems, channels_of
from conformance.segment.generating import random_script
from conformance.segment.model import Model
from conformance.segment.operations import Put, Read
from conformance.segment.searching import search
from quorate.adapters.channels import question_of
from quorate.adapters.errors import AdapterFailed, AdapterNonsense, AdapterUnavailable
from quorate.adapters.serving import answers, operation_of
from quorate.systems import synnax
from quorate.systems.synnax import Scripts, SynnaxChannels, connected, library, parser
from spec.segment.iterator.times import TimeRange
from spec.verdicts import ExitCode
from tests.support import synnax_client

ROOT = Path(__file__).parents[2]
SEEDS = range(60)


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> synnax_client.Cluster:
    """A cluster that nobody has used."""
    made = synnax_client.Cluster()
    monkeypatch.setattr(synnax_client, "CLUSTER", made)
    return made


def client() -> synnax_client.Synnax:
    """A connection to it."""
    return synnax_client.Synnax("localhost", 9090, "synnax", "seldon")


def systems(*leaseholders: int) -> Systems:
    """The model, and channels of the cluster."""
    scripts = Scripts(synnax_client, client(), leaseholders)
    return {MODEL: lambda _: Model(), "synnax": lambda script: scripts(channels_of(script))}


@pytest.mark.parametrize("leaseholders", [(0,), (0, 1, 2)])
def test_it_says_what_the_model_says(cluster: synnax_client.Cluster, leaseholders: tuple[int, ...]) -> None:
    found = systems(*leaseholders)
    assert search(lambda _: found, SEEDS) is None
    assert {one.leaseholder for one in cluster.channels.values()} <= set(leaseholders)


def test_a_sample_that_is_lost_is_found(cluster: synnax_client.Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the adapter would hide what it is there to find."""
    whole = synnax_client.Iterator.prev

    def without_the_last(self: synnax_client.Iterator, span: synnax_client.TimeSpan) -> bool:
        moved = whole(self, span)
        self.value = synnax_client.Frame({key: times[:-1] for key, times in self.value.items()})
        return moved

    monkeypatch.setattr(synnax_client.Iterator, "prev", without_the_last)
    scripts = systems(0)
    found = search(lambda _: scripts, SEEDS, enough=1)
    assert found is not None
    assert len(found.script) <= 6
    assert cluster.channels


def test_channels_are_deleted_with_their_script(cluster: synnax_client.Cluster) -> None:
    scripts = Scripts(synnax_client, client())
    scripts(("a", "b"))
    assert len(cluster.channels) == 2
    scripts(("a",))
    assert len(cluster.channels) == 1
    scripts.end()
    assert cluster.channels == {}


def test_a_cluster_that_is_full_or_goes_away_is_no_answer(cluster: synnax_client.Cluster) -> None:
    cluster.room = 1
    with pytest.raises(AdapterFailed, match="refuses to create it: no room for more channels"):
        SynnaxChannels(synnax_client, client(), ("a", "b"))
    cluster.room = 9
    channels = SynnaxChannels(synnax_client, client(), ("a",))
    cluster.down = True
    with pytest.raises(AdapterFailed, match="ConnectionError: nobody answers"):
        channels.does(Put("a", (1, 2)))


def test_what_is_not_there_is_named(cluster: synnax_client.Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster.down = True
    with pytest.raises(AdapterUnavailable, match="localhost:9090: nobody answers there"):
        connected(synnax_client, parser().parse_args([]))
    monkeypatch.setitem(sys.modules, "synnax", None)
    with pytest.raises(AdapterUnavailable, match="pip install 'quorate\\[synnax\\]'"):
        library()


def test_as_a_program_without_the_client_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "synnax", None)
    assert synnax.main([]) == ExitCode.UNKNOWN
    assert "pip install 'quorate[synnax]'" in capsys.readouterr().err


def test_as_a_program_it_is_compared_by_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "synnax.py").write_text("from tests.support.synnax_client import *\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{ROOT}")
    program = shlex.join([sys.executable, "-m", "quorate.systems.synnax", "--leaseholders", "0", "1"])
    assert main(["metamorphic", "--command", program, "--seeds", "4"]) == 0
    assert "4 scripts, your program: each says what the model says" in capsys.readouterr().out


def said(*questions: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The answers to questions."""
    lines = (json.dumps(question) for question in questions)
    return map(json.loads, answers("a model", lambda _: Model(), lines))


@pytest.mark.parametrize("seed", range(20))
def test_every_question_is_read_as_the_operation_that_it_asks_for(seed: int) -> None:
    for operation in random_script(seed):
        word, about = question_of(operation)
        assert operation_of({"id": 1, "do": word, **about}) == operation
    assert operation_of({"do": "read", "channels": ["a"], "start_ns": 0, "end_ns": 9}) == Read(("a",), TimeRange(0, 9))


def test_answers_have_their_questions_numbers() -> None:
    begin, put = {"id": 1, "do": "begin", "channels": ["a"]}, {"id": 2, "do": "put", "channel": "a", "times_ns": [1]}
    hello, first, then = said({"quorate_adapter": 1}, begin, put)
    assert hello == {"quorate_adapter": 1, "system": "a model"}
    assert (first, then["id"], then["ok"]) == ({"id": 1}, 2, True)


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ({"id": 3, "do": "put", "channel": "a", "times_ns": [1]}, "a script begins"),
        ({"id": 3, "do": "erase"}, "it is no operation"),
        ({"id": 3, "do": "put", "channel": "a"}, "it is no operation"),
        ({"id": 3, "do": "put", "channel": "a", "times_ns": None}, "it is no operation"),
    ],
)
def test_a_question_without_a_meaning_is_answered_by_an_error(question: dict[str, Any], reason: str) -> None:
    (answer,) = said(question)
    assert (answer["id"], reason in answer["error"]) == (3, True)
    if "no operation" in reason:
        with pytest.raises(AdapterNonsense):
            operation_of(question)
