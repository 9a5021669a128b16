"""Recordings of real systems under fault, made side by side when the first of them is asked for.

Each cluster takes ports that are free, and mostly waits: for elections, time-outs, and clients that keep a pace.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pytest

from conformance.record.bookkeeper import BookKeeperRecording, record_bookkeeper
from conformance.record.errors import ClusterFailed, PackagesUnavailable
from conformance.record.kafka import KafkaRecording, record_kafka
from conformance.record.nats import NatsRecording, record_nats
from conformance.record.restate import RestateRecording, record_restate
from tests.support.asked_systems import SYSTEMS, Answer, NotHere, NotReady, ask

RECORDERS: Mapping[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "kafka_clean": (record_kafka, {"scenario": "clean"}),
    "kafka_acks1": (record_kafka, {"scenario": "acks1-leader-killed"}),
    "nats_clean": (record_nats, {"scenario": "clean"}),
    "nats_memory": (record_nats, {"scenario": "memory-killed"}),
    "restate": (record_restate, {"seconds": 10}),
    "bookkeeper_takeover": (record_bookkeeper, {"scenario": "takeover"}),
    "bookkeeper_ack1": (record_bookkeeper, {"scenario": "ack1-bookie-wiped"}),
    "bookkeeper_striped": (record_bookkeeper, {"scenario": "striped"}),
}
"""What makes the recording that each fixture gives, and the scenario."""


class Begun(NamedTuple):
    """A recording in the making, and the line that makes another like it."""

    line: str
    recording: Future[Any]


Recordings: TypeAlias = Callable[[str], Any]
"""Gives the recording of a name when it is over."""


@pytest.fixture(scope="session")
def recordings(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recordings]:
    """Record all that some test of this run asks for, each once."""
    wanted = RECORDERS.keys() & {name for item in request.session.items for name in fixtures_of(item)}
    with ThreadPoolExecutor(len(RECORDERS)) as threads:
        begun = {name: _begun(threads, name, tmp_path_factory.mktemp(name)) for name in wanted}

        def recording(name: str) -> Any:
            print(begun[name].line)
            try:
                return begun[name].recording.result()
            except PackagesUnavailable as missing:
                pytest.skip(str(missing))

        yield recording


def _begun(threads: ThreadPoolExecutor, name: str, folder: Path) -> Begun:
    record, scenario = RECORDERS[name]
    asked = scenario | {"seed": random.SystemRandom().randrange(10**6)}
    return Begun(f"{record.__name__}(Path('recording'), **{asked})", threads.submit(_recorded, record, folder, asked))


def _recorded(record: Callable[..., Any], folder: Path, asked: Mapping[str, Any]) -> Any:
    """A recording; made once more where a cluster did not do its part in time, as happens beside eleven others."""
    try:
        return record(folder, **asked)
    except ClusterFailed as failed:
        print(f"{folder.name} is recorded again: {failed}")
        again = folder / "again"
        again.mkdir()
        return record(again, **asked)


Asked: TypeAlias = Callable[[str], list[Answer]]
"""Gives what a system answered to the suite."""


@pytest.fixture(scope="session")
def asked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    """Ask all systems that some test of this run asks, side by side, each once."""
    called = [getattr(item, "callspec", None) for item in request.session.items if "asked" in fixtures_of(item)]
    wanted = [call.params["name"] for call in called if call] if all(called) else SYSTEMS
    with ThreadPoolExecutor(len(SYSTEMS)) as threads:
        begun = {name: threads.submit(_answers, name, tmp_path_factory.mktemp(name)) for name in wanted}

        def answers(name: str) -> list[Answer]:
            try:
                return begun[name].result()
            except NotHere as missing:
                pytest.skip(str(missing))

        yield answers


def _answers(name: str, folder: Path) -> list[Answer]:
    """What a system answers; asked once more where its cluster did not serve in time."""
    try:
        return ask(name, folder)
    except NotReady as late:
        print(f"{name} is asked again: {late}")
        again = folder / "again"
        again.mkdir()
        return ask(name, again)


def fixtures_of(item: pytest.Item) -> Sequence[str]:
    """The names of the fixtures of a test."""
    names: Sequence[str] = getattr(item, "fixturenames", ())
    return names


@pytest.fixture
def kafka_clean(recordings: Recordings) -> KafkaRecording:
    """A leader of Kafka killed while all in-sync replicas acknowledge."""
    recording: KafkaRecording = recordings("kafka_clean")
    return recording


@pytest.fixture
def kafka_acks1(recordings: Recordings) -> KafkaRecording:
    """A leader of Kafka killed after it alone acknowledged."""
    recording: KafkaRecording = recordings("kafka_acks1")
    return recording


@pytest.fixture
def nats_clean(recordings: Recordings) -> NatsRecording:
    """A leader of three replicas of NATS killed."""
    recording: NatsRecording = recordings("nats_clean")
    return recording


@pytest.fixture
def nats_memory(recordings: Recordings) -> NatsRecording:
    """A node of NATS killed that alone had a stream, in memory."""
    recording: NatsRecording = recordings("nats_memory")
    return recording


@pytest.fixture
def restate(recordings: Recordings) -> RestateRecording:
    """Two of three nodes of Restate killed in turn."""
    recording: RestateRecording = recordings("restate")
    return recording


@pytest.fixture
def bookkeeper_takeover(recordings: Recordings) -> BookKeeperRecording:
    """A bookie killed under a writer, and the ledger taken over by another client."""
    recording: BookKeeperRecording = recordings("bookkeeper_takeover")
    return recording


@pytest.fixture
def bookkeeper_ack1(recordings: Recordings) -> BookKeeperRecording:
    """A bookie wiped after it alone acknowledged."""
    recording: BookKeeperRecording = recordings("bookkeeper_ack1")
    return recording


@pytest.fixture
def bookkeeper_striped(recordings: Recordings) -> BookKeeperRecording:
    """A sound ledger, each bookie of which has every third entry."""
    recording: BookKeeperRecording = recordings("bookkeeper_striped")
    return recording
