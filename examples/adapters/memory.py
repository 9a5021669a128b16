"""A log in memory that speaks the adapter protocol: python examples/adapters/memory.py.

    pytest --quorate-command "python examples/adapters/memory.py"

What is said on standard input and output: docs/reference/adapter-protocol.md.
"""

import json
import sys


class Log:
    """Records by LSN, from 0; what is below ``first`` was trimmed."""

    def __init__(self) -> None:
        self.records: list[str] = []
        self.first = 0
        self.positions: dict[int, int] = {}

    def append(self, question: dict) -> dict:
        """Append a record."""
        self.records.append(question["payload"])
        return {"lsn": len(self.records) - 1}

    def read(self, question: dict) -> dict:
        """Begin to read; the stream stands where it is to go on."""
        self.positions[question["stream"]] = question["start"]
        return {}

    def next(self, question: dict) -> dict:
        """The next step of a stream."""
        stream = question["stream"]
        position = self.positions[stream]
        if position < self.first:
            self.positions[stream] = self.first
            return {"gap": [position, self.first - 1], "reason": "trim"}
        if position >= len(self.records):
            return {"at_end": position}
        self.positions[stream] = position + 1
        return {"lsn": position, "payload": self.records[position]}

    def tail(self, _: dict) -> dict:
        """Where the next record will lie."""
        return {"lsn": len(self.records)}

    def trim(self, question: dict) -> dict:
        """Delete everything up to an LSN; what is not there yet cannot be trimmed."""
        self.first = max(self.first, min(question["upto"] + 1, len(self.records)))
        return {}


def main() -> None:
    """Say hello, then answer each question by one line."""
    log = Log()
    for line in sys.stdin:
        question = json.loads(line)
        if "quorate_adapter" in question:
            answer = {"quorate_adapter": 1, "system": "memory in Python", "can": ["tail", "trim"]}
        elif question["do"] == "open":
            log = Log()
            answer = {"id": question["id"]}
        elif question["do"] in ("append", "read", "next", "tail", "trim"):
            answer = {"id": question["id"], **getattr(log, question["do"])(question)}
        else:
            answer = {"id": question["id"], "error": f"no such question: {question['do']}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
