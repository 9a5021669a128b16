"""Channels in memory that answer in JSON lines: python examples/segments/memory.py.

    quorate metamorphic --command "python examples/segments/memory.py"

Written without quorate, from the document alone: an iterator keeps one place for each channel, a time between samples.
What is said on standard input and output: docs/how-to/compare-configurations.md.
"""

import json
import sys


class Iterator:
    """An iterator: for each channel the range that it covered last; none before a seek has succeeded."""

    def __init__(self, channels: list[str], start: int, end: int, chunk: int) -> None:
        self.start, self.end, self.chunk = start, end, chunk
        self.views: dict[str, tuple[int, int] | None] = dict.fromkeys(channels)
        self.closed = False


class Channels:
    """Samples of channels, who writes them, and iterators."""

    def __init__(self) -> None:
        self.samples: dict[str, list[int]] = {}
        self.waiting: dict[str, list[int]] = {}
        self.holders: dict[str, str] = {}
        self.writers: dict[str, list[str]] = {}
        self.iterators: dict[str, Iterator] = {}

    def put(self, ask: dict) -> dict:
        """Write and commit at once, where nobody holds the channel."""
        if ask["channel"] in self.holders or not self._is_later(ask["channel"], ask["times_ns"]):
            return {"ok": False}
        self.samples.setdefault(ask["channel"], []).extend(ask["times_ns"])
        return {"ok": True}

    def open(self, ask: dict) -> dict:
        """Hold all channels, or none."""
        if ask["writer"] in self.writers or any(channel in self.holders for channel in ask["channels"]):
            return {"ok": False}
        self.writers[ask["writer"]] = ask["channels"]
        self.holders.update(dict.fromkeys(ask["channels"], ask["writer"]))
        return {"ok": True}

    def write(self, ask: dict) -> dict:
        """Keep samples until they are committed."""
        held = self.holders.get(ask["channel"]) == ask["writer"]
        if not held or not self._is_later(ask["channel"], ask["times_ns"]):
            return {"ok": False}
        self.waiting.setdefault(ask["channel"], []).extend(ask["times_ns"])
        return {"ok": True}

    def commit(self, ask: dict) -> dict:
        """Let readers see what was written."""
        for channel in self.writers.get(ask["writer"], []):
            self.samples.setdefault(channel, []).extend(self.waiting.pop(channel, []))
        return {"ok": ask["writer"] in self.writers}

    def iterate(self, ask: dict) -> dict:
        """Open an iterator."""
        if ask["iterator"] in self.iterators:
            return {"ok": False}
        self.iterators[ask["iterator"]] = Iterator(ask["channels"], ask["start_ns"], ask["end_ns"], ask["chunk"])
        return {"ok": True}

    def read(self, ask: dict) -> dict:
        """All samples of a range."""
        found = {
            channel: [time for time in self.samples.get(channel, []) if ask["start_ns"] <= time < ask["end_ns"]]
            for channel in ask["channels"]
        }
        return {"ok": all(found.values()), "read": found}

    def close(self, ask: dict) -> dict:
        """End a writer, whose uncommitted samples are gone, or an iterator."""
        if ask["name"] in self.writers:
            for channel in self.writers.pop(ask["name"]):
                self.holders.pop(channel)
                self.waiting.pop(channel, None)
            return {"ok": True}
        if ask["name"] in self.iterators:
            self.iterators[ask["name"]].closed = True
        return {"ok": ask["name"] in self.iterators}

    def call(self, ask: dict) -> dict:
        """A seek or a move, on every channel: true if it is on each."""
        iterator = self.iterators.get(ask["name"])
        if iterator is None or iterator.closed:
            return {"ok": False}
        oks, read = [], {}
        for channel in iterator.views:
            inside = [time for time in self.samples.get(channel, []) if iterator.start <= time < iterator.end]
            if ask["do"] in ("next", "prev"):
                read[channel] = self._move(ask, iterator, channel, inside)
                oks.append(bool(read[channel]))
            else:
                place = self._seek(ask, inside)
                iterator.views[channel] = None if place is None else (place, place)
                oks.append(place is not None)
        return {"ok": all(oks), "read": read}

    def _seek(self, ask: dict, inside: list[int]) -> int | None:
        if not inside:
            return None
        if ask["do"] == "first":
            return inside[0]
        if ask["do"] == "last":
            return inside[-1] + 1
        time = ask["time_ns"]
        if time in inside:
            return time
        if ask["do"] == "ge":
            return next((one for one in inside if one > time), None)
        return next((one + 1 for one in reversed(inside) if one < time), None)

    def _move(self, ask: dict, iterator: Iterator, channel: str, inside: list[int]) -> list[int]:
        view = iterator.views[channel]
        if view is None:
            return []
        if ask["do"] == "next":
            here = view[1]
            ahead = [time for time in inside if time >= here]
            chunk_end = ahead[iterator.chunk] if len(ahead) > iterator.chunk else iterator.end
            end = min(here + ask["span_ns"], iterator.end) if "span_ns" in ask else chunk_end
            iterator.views[channel] = (here, end)
            return [time for time in ahead if time < end]
        here = view[0]
        behind = [time for time in inside if time < here]
        chunk_start = behind[-iterator.chunk - 1] + 1 if len(behind) > iterator.chunk else iterator.start
        start = max(here - ask["span_ns"], iterator.start) if "span_ns" in ask else chunk_start
        iterator.views[channel] = (start, here)
        return [time for time in behind if time >= start]

    def _is_later(self, channel: str, times: list[int]) -> bool:
        before = self.samples.get(channel, []) + self.waiting.get(channel, [])
        return not before or times[0] > max(before)


def main() -> None:
    """Say hello, then answer each question by one line."""
    channels = Channels()
    for line in sys.stdin:
        ask = json.loads(line)
        if "quorate_adapter" in ask:
            answer = {"quorate_adapter": 1, "system": "channels in memory"}
        elif ask["do"] == "begin":
            channels, answer = Channels(), {"id": ask["id"]}
        elif ask["do"] in ("put", "open", "write", "commit", "iterate", "read", "close"):
            answer = {"id": ask["id"], **getattr(channels, ask["do"])(ask)}
        elif ask["do"] in ("first", "last", "ge", "le", "next", "prev"):
            answer = {"id": ask["id"], **channels.call(ask)}
        else:
            answer = {"id": ask["id"], "error": f"no such question: {ask['do']}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
