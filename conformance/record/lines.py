"""JSON lines on disk, zstd by file ending, never half-written."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import zstandard


def write_lines(path: Path, rows: Iterable[Mapping[str, object]]) -> None:
    """Write one JSON object per line (zstd if the name ends with `.zst`) to a temporary name, then rename."""
    raw = "".join(json.dumps(row) + "\n" for row in rows).encode()
    data = zstandard.ZstdCompressor(level=19).compress(raw) if path.suffix == ".zst" else raw
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    unfinished.write_bytes(data)
    unfinished.replace(path)


def read_lines(path: Path) -> Iterator[dict[str, object]]:
    """The objects of a JSON lines file (zstd if the name ends with `.zst`)."""
    data = path.read_bytes()
    if path.suffix == ".zst":
        data = zstandard.ZstdDecompressor().decompressobj().decompress(data)
    for line in data.splitlines():
        yield json.loads(line)
