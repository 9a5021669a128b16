"""A log in memory, written for the tutorial: it knows nothing of quorate."""

from __future__ import annotations


class MyLog:
    """Records by number, from 0. What was flushed survives a crash; what was not is gone."""

    def __init__(self) -> None:
        self.disk: list[bytes] = []
        self.buffer: list[bytes] = []
        self.first = 0
        self.is_up = True

    def put(self, record: bytes) -> int:
        """Append a record; gives its number once the record is safe."""
        self.must_be_up()
        number = len(self.disk) + len(self.buffer)
        self.buffer.append(record)
        self.flush()
        return number

    def get(self, number: int) -> bytes:
        """The record of a number."""
        self.must_be_up()
        return self.disk[number]

    def end(self) -> int:
        """The number that the next record will have."""
        self.must_be_up()
        return len(self.disk)

    def delete(self, upto: int) -> None:
        """Delete all records up to this number."""
        self.must_be_up()
        self.first = max(self.first, min(upto + 1, len(self.disk)))

    def flush(self) -> None:
        """Write to the disk what is in memory only."""
        self.disk += self.buffer
        self.buffer = []

    def kill(self) -> None:
        """End without warning."""
        self.buffer = []
        self.is_up = False

    def start(self) -> None:
        """Start again, from what is on the disk."""
        self.is_up = True

    def must_be_up(self) -> None:
        """Nobody is served by a log that is down."""
        if not self.is_up:
            raise ConnectionError("the log is down")
