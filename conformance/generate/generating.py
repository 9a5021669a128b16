"""Generating: simulate the tiles, judge them, write copies, and what is true of all together; whole, or not at all."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from functools import lru_cache, partial
from pathlib import Path
from shutil import rmtree
from typing import Final, TypeAlias

from conformance.generate import kit
from conformance.generate.layouts import File, files_of
from conformance.generate.ordering import Order
from conformance.generate.placing import placed, truth_of
from conformance.generate.truth import NAME, Truth
from conformance.trace.errors import NotWritable
from conformance.trace.parquet_writing import appending

Work: TypeAlias = Callable[[int], None]
"""One of several pieces of work, by number. It leaves files behind, and may be done elsewhere."""

Doer: TypeAlias = Callable[[str, int, Work], None]
"""Does so many pieces of work, in any order; the first word says what they are."""

TILES: Final = ".tiles"
"""The folder of tiles, below that of the unfinished trace."""


def here(_what: str, count: int, work: Work) -> None:
    """Do all work here, one piece after another."""
    for number in range(count):
        work(number)


def generate(order: Order, target: Path, do: Doer = here) -> Truth:
    """Write a trace and its truth file into a folder, which must not be there yet.

    Args:
        order: what is wanted.
        target: the folder; those who work must be able to write beside it.
        do: who does the work.

    Raises:
        NotWritable: the folder is there, or the disk refuses.
    """
    if target.exists():
        raise NotWritable("it is there already", "a trace is written into a new folder", "another name", str(target))
    unfinished = target.with_name(f".{target.name}.{secrets.token_hex(6)}")
    tiles = unfinished / TILES
    try:
        tiles.mkdir(parents=True)
        do("simulating", len(order.plans), partial(kit.simulate_one, order, tiles))
        do("finding the long log", int(bool(order.skew)), partial(kit.find_long_log, order, tiles))
        do("judging what is simulated", len(order.plans), partial(kit.judge_one, order, tiles))
        copies = placed(order, kit.kit_of(order, tiles))
        do("writing", len(files_of(order, copies)), partial(_write, order, tiles))
        truth = Truth(copies.events, truth_of(copies, kit.truths(order, tiles)), asdict(order))
        (unfinished / NAME).write_text(truth.text(), encoding="utf-8")
        rmtree(tiles)
        unfinished.rename(target)
    except OSError as error:
        why = error.strerror or str(error)
        raise NotWritable("cannot be written", why, "a folder that exists and has room", str(target)) from None
    finally:
        with suppress(OSError):
            rmtree(unfinished)
    return truth


def _write(order: Order, tiles: Path, number: int) -> None:
    """Write one file of the trace."""
    file = _files(order, tiles)[number]
    header = kit.kit_of(order, tiles).header
    path = tiles.parent / f"part-{number:05}.parquet"
    with appending(path, header, in_order=file.in_order, books_of=file.books_of) as append:
        for table in file.tables():
            append(table)


@lru_cache(maxsize=1)
def _files(order: Order, tiles: Path) -> list[File]:
    return files_of(order, placed(order, kit.kit_of(order, tiles)))
