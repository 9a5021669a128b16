"""The adapter of ``mylog``: pytest --quorate-adapter adapter:Adapter."""

from collections.abc import Iterator

from mylog import MyLog

from quorate import AtEnd, Gap, Record


class Adapter:
    """What quorate asks of a log, and how ``MyLog`` does it."""

    promises = ("real_time_order",)

    def __init__(self) -> None:
        self.log = MyLog()

    def append(self, payload: bytes) -> int:
        return self.log.put(payload)

    def read(self, start: int) -> Iterator[Record | Gap | AtEnd]:
        position = start
        while position < self.log.end():  # asked again before each step
            first = self.log.first
            if position < first:
                yield Gap(position, first - 1, "trim")
                position = first
            else:
                yield Record(position, self.log.get(position))
                position += 1
        yield AtEnd(position)

    def tail(self) -> int:
        return self.log.end()

    def trim(self, upto: int) -> None:
        self.log.delete(upto)

    def crash(self, _node: str) -> None:
        self.log.kill()

    def restart(self, _node: str) -> None:
        self.log.start()
