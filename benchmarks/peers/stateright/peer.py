"""Stateright, a library in Rust: its model is a Cargo project of its own, and searches in one thread."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Final

from benchmarks.peers.peer import Explored, NotInstalled, Order, PeerFailed, answer, installed, printed
from benchmarks.processor import Measured

NAME: Final = "Stateright"
HERE: Final = Path(__file__).parent
BUILT: Final = HERE.parent.parent.parent / "build" / "benchmarks" / "stateright"
"""Cargo keeps what it built here, so only a first run has to build."""


def explore(order: Order, managers: int) -> Explored:
    """Explore two-phase commit.

    Raises:
        NotInstalled: Cargo or a crate that Cargo.toml names is not here.
        PeerFailed: the model cannot be built, or Stateright did not search to the end.
    """
    cargo = installed("cargo", "install Rust 1.85 or newer")
    _fetched(cargo)
    with Measured() as prepared:
        answer([cargo, "build", "--release", "--offline", "--target-dir", BUILT], HERE)
    with Measured() as searched:
        text = answer([BUILT / "release" / "two-phase", str(managers), order], HERE)
    distinct = int(printed(r"^distinct (\d+)$", text, NAME))
    return Explored(_version(), distinct, prepared.cpu_s, searched.cpu_s, prepared.wall_s + searched.wall_s)


def _fetched(cargo: str) -> None:
    """Nothing is downloaded here: whoever measures decides what the machine gets."""
    try:
        answer([cargo, "fetch", "--offline"], HERE)
    except PeerFailed as error:
        advice = "cargo fetch --manifest-path benchmarks/peers/stateright/Cargo.toml"
        raise NotInstalled(f"Stateright's crates are not all here ({advice}): {error}") from error


def _version() -> str:
    pinned: str = tomllib.loads((HERE / "Cargo.toml").read_text(encoding="utf-8"))["dependencies"]["stateright"]
    return pinned.removeprefix("=")
