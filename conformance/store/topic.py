"""Topics of Kafka: where one is, and whether its brokers can be reached."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

WAIT_S: Final = 5


@dataclass(frozen=True)
class Topic:
    """A topic of Kafka.

    Attributes:
        brokers: hosts and ports, with commas between.
        topic: what Kafka calls it.
        settings: settings of Kafka's consumer, such as ``security.protocol``.
    """

    brokers: str
    topic: str
    settings: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"kafka://{self.brokers}/{self.topic}"

    def fault(self) -> str:
        """Why no broker can be reached; empty if one can."""
        said = ""
        for broker in self.brokers.split(","):
            host, _, port = broker.rpartition(":")
            try:
                socket.create_connection((host.strip("[]"), int(port)), WAIT_S).close()
            except OSError as error:
                said = f"{broker}: {error.strerror or error}"
            else:
                return ""
        return said
