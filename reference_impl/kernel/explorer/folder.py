"""The levels of a search in a folder: a checkpoint after every level, which a search can go on from.

Each level is a file of packed blocks; ``search.json`` says which files belong to the search and how to read them. Both
are written under a temporary name, then renamed, so that a process may be killed at any time.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import numpy as np

from reference_impl.kernel.explorer.columns import Columns, distinct, mixed, unmixed
from reference_impl.kernel.explorer.packing import packed, unpacked

FORMAT: Final = 1
MANIFEST: Final = "search.json"

BLOCK: Final = 1 << 18
"""States of one block."""


class BadCheckpoint(ValueError):
    """A folder does not hold what a search could go on from, or holds what it should not overwrite."""


@dataclass(frozen=True)
class PackedBlock:
    """Where a block is, and what is in it.

    Attributes:
        at: its first byte in the level's file.
        size: its bytes.
        crc: their CRC-32.
        states: how many states it holds.
        first: the first row of its first state.
        last: the first row of its last state.
    """

    at: int
    size: int
    crc: int
    states: int
    first: int
    last: int


class FolderRecord:
    """Levels on disk, those of a search with this fingerprint; in memory is the last level alone.

    Args:
        folder: made if it is not there.
        words: words of a state.
        fingerprint: tells searches apart: text, world, symmetry and what is checked.
        resume: go on from what is there, or begin anew where nothing is.

    Raises:
        BadCheckpoint: to go on, there is nothing, or something of another search, or something damaged; or to begin,
            there is a search already.
    """

    def __init__(self, folder: Path, words: int, fingerprint: str, *, resume: bool = False) -> None:
        self.folder, self.words, self.fingerprint = folder, words, fingerprint
        self.sizes: list[int] = []
        self.transitions, self.cpu_s = 0, 0.0
        self._blocks: list[list[PackedBlock]] = []
        self._last: Columns | None = None
        there = (folder / MANIFEST).exists()
        if resume:
            self._read()
        elif there:
            raise BadCheckpoint(f"{folder} holds a search already: resume it, or name another folder")
        folder.mkdir(parents=True, exist_ok=True)

    def __getitem__(self, depth: int) -> Columns:
        """The states first reached after so many steps.

        Raises:
            BadCheckpoint: their file is gone or damaged.
        """
        if depth == len(self.sizes) - 1 and self._last is not None:
            return self._last
        return unmixed(np.concatenate(list(self.blocks(depth)), axis=1))

    def blocks(self, depth: int, within: Columns | None = None) -> Iterator[Columns]:
        """The ordered blocks of a level, with mixed first rows; those alone that may share states with a given set.

        Raises:
            BadCheckpoint: their file is gone or damaged.
        """
        path = self._path(depth)
        try:
            with path.open("rb") as file:
                for block in self._blocks[depth]:
                    if within is None or _overlap(block, within):
                        file.seek(block.at)
                        yield self._block(path, block, file.read(block.size))
        except OSError as error:
            raise BadCheckpoint(f"{path} cannot be read ({error}): begin the search anew in another folder") from error

    def append(self, states: Columns, transitions: int, cpu_s: float) -> None:
        """Write a level, then the manifest that names it."""
        rows = distinct(mixed(states).copy())
        blocks: list[PackedBlock] = []
        parts: list[bytes] = []
        at = 0
        for start in range(0, rows.shape[1], BLOCK):
            part = rows[:, start : start + BLOCK]
            parts.append(packed(part))
            ends = int(part[0, 0]), int(part[0, -1])
            blocks.append(PackedBlock(at, len(parts[-1]), crc32(parts[-1]), part.shape[1], *ends))
            at += len(parts[-1])
        _replace(self._path(len(self.sizes)), b"".join(parts))
        self._blocks.append(blocks)
        self.sizes.append(rows.shape[1])
        self.transitions, self.cpu_s, self._last = transitions, cpu_s, states
        _replace(self.folder / MANIFEST, self._manifest())

    def _path(self, depth: int) -> Path:
        return self.folder / f"level_{depth:04}.zst"

    def _block(self, path: Path, block: PackedBlock, data: bytes) -> Columns:
        wrong = f"{path} is damaged at byte {block.at}: begin the search anew in another folder"
        if crc32(data) != block.crc:
            raise BadCheckpoint(wrong)
        try:
            return unpacked(data, self.words, block.states)
        except ValueError as error:
            raise BadCheckpoint(wrong) from error

    def _manifest(self) -> bytes:
        said = {
            "format": FORMAT,
            "fingerprint": self.fingerprint,
            "words": self.words,
            "transitions": self.transitions,
            "cpu_s": self.cpu_s,
            "levels": [[asdict(block) for block in level] for level in self._blocks],
        }
        return json.dumps({"search": said, "crc": _crc(said)}, indent=1).encode()

    def _read(self) -> None:
        path = self.folder / MANIFEST
        try:
            whole = json.loads(path.read_bytes())
            said, crc = whole["search"], whole["crc"]
            if crc != _crc(said):
                raise BadCheckpoint(f"{path} is damaged: begin the search anew in another folder")
            if (said["format"], said["fingerprint"], said["words"]) != (FORMAT, self.fingerprint, self.words):
                raise BadCheckpoint(
                    f"{self.folder} holds another search: the text, the world, the symmetry, what is checked and the "
                    "version of this program must be the same; name another folder"
                )
            self._blocks = [[PackedBlock(**block) for block in level] for level in said["levels"]]
            self.transitions, self.cpu_s = said["transitions"], said["cpu_s"]
        except OSError as error:
            raise BadCheckpoint(
                f"{self.folder} holds no search to resume ({error.strerror}): begin one there"
            ) from error
        except (KeyError, TypeError, UnicodeDecodeError, json.JSONDecodeError) as error:
            raise BadCheckpoint(f"{path} is damaged: begin the search anew in another folder") from error
        self.sizes = [sum(block.states for block in level) for level in self._blocks]


def _crc(said: dict[str, Any]) -> int:
    return crc32(json.dumps(said, sort_keys=True).encode())


def _overlap(block: PackedBlock, states: Columns) -> bool:
    at = int(np.searchsorted(states[0], np.uint64(block.first)))
    return at < states.shape[1] and int(states[0, at]) <= block.last


def _replace(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole or not at all."""
    part = path.with_name(path.name + ".part")
    with part.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
