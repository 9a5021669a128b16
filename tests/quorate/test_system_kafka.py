"""Kafka's adapter without brokers: what it asks of the client library is still there when the answer comes.

confluent-kafka, AdminClient: answers come from a thread that ends with the client.
"""

from __future__ import annotations

from typing import Any
from weakref import ref

import pytest

pytest.importorskip("confluent_kafka", reason="needs the optional group live")

from quorate.systems import kafka_log


class Answer:
    """One that comes if its client is still there."""

    def __init__(self, client: Admin) -> None:
        self._client = ref(client)

    def result(self, _seconds: float) -> None:
        if self._client() is None:
            raise TimeoutError


class Admin:
    """A client that deletes what it is asked to, up to an offset."""

    deleted_to: int

    def __init__(self, _settings: object) -> None:
        pass

    def delete_records(self, partitions: list[Any]) -> dict[Any, Answer]:
        Admin.deleted_to = partitions[0].offset
        return {partitions[0]: Answer(self)}


def test_a_trim_is_awaited_by_a_client_that_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kafka_log, "AdminClient", Admin)
    log = object.__new__(kafka_log.Kafka)
    monkeypatch.setattr(log, "_bootstrap", {}, raising=False)
    monkeypatch.setattr(log, "_topic", "log0", raising=False)
    monkeypatch.setattr(log, "tail", lambda: 5)
    log.trim(3)
    assert Admin.deleted_to == 3
    log.trim(7)
    assert Admin.deleted_to == 4
