"""Programs in Go, built once from a folder of this package whose ``go.sum`` names every module by hash.

Source: Go Modules Reference (go.dev/ref/mod), ``go.sum`` files; GOPROXY names where modules come from.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from conformance.record.errors import BuildFailed, LockMismatch, PackagesUnavailable
from conformance.record.jars import cache_folder

NATS_SERVER: Final = Path(__file__).with_name("nats_server")

USUAL_PLACE: Final = "/usr/local/go/bin"
"""Where Go is installed by its own instructions (go.dev/doc/install)."""

_BUILD: Final = ("build", "-p", "2", "-trimpath", "-buildvcs=false", "-mod=readonly", "-ldflags=-s -w")
_OTHER_CONTENT: Final = ("SECURITY ERROR", "checksum mismatch")
_TIMEOUT_S: Final = 600


def find_go() -> str:
    """The go command, on PATH or in its usual place. Raises `PackagesUnavailable` when there is none."""
    go = shutil.which("go", path=os.pathsep.join([os.environ.get("PATH", os.defpath), USUAL_PLACE]))
    if go is None:
        raise PackagesUnavailable("Go", f"it is neither on PATH nor in {USUAL_PLACE}", "install it from go.dev")
    return go


def build(sources: Path, folder: Path | None = None) -> Path:
    """The program of a folder of sources, built into the cache on first use.

    Raises:
        PackagesUnavailable: there is no Go here, or it gets no modules.
        LockMismatch: a module is not the locked one.
        BuildFailed: the sources are wrong.
    """
    home = folder or cache_folder() / "go"
    program = home / f"{sources.name}-{_hash_of(sources)[:16]}"
    if not program.exists():
        go = find_go()
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".build-", dir=home) as workspace:
            unfinished = Path(workspace) / sources.name
            _download(go, sources)
            built = _run([go, *_BUILD, "-o", str(unfinished), "."], sources)
            if built.returncode:
                raise BuildFailed(str(sources), _said(built))
            unfinished.replace(program)
    return program


def _hash_of(sources: Path) -> str:
    """The sha256 of all sources, in the order of their names."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(sources.iterdir()))).hexdigest()


def _download(go: str, sources: Path) -> None:
    """Get all modules that the sources name, so that whatever fails afterwards is not for want of them."""
    done = _run([go, "mod", "download"], sources)
    if any(sign in done.stderr for sign in _OTHER_CONTENT):
        raise LockMismatch("A Go module", f"Go said {_said(done)}")
    if done.returncode:
        why = f"Go said {_said(done)}"
        raise PackagesUnavailable("Go modules", why, "set GOPROXY to a module proxy in reach")


def _run(command: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "CGO_ENABLED": "0"}
    try:
        return subprocess.run(
            command, check=False, cwd=folder, env=environment, capture_output=True, text=True, timeout=_TIMEOUT_S
        )
    except subprocess.TimeoutExpired as error:
        raise PackagesUnavailable("Go modules", f"Go took over {_TIMEOUT_S} s", "check the network") from error


def _said(done: subprocess.CompletedProcess[str]) -> str:
    return " | ".join(done.stderr.strip().splitlines()[-4:])
