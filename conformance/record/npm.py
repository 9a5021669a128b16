"""Node packages named by a committed lock file: installed once by npm, which checks their integrity.

The lock is npm's own (lockfile version 3: name, version and sha512 of each package) without addresses of a registry.
No install script runs. The packages that carry programs for other platforms stay away.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import tempfile
from pathlib import Path

from conformance.record.errors import LockMismatch, PackagesUnavailable
from conformance.record.jars import cache_folder

RESTATE_LOCK = Path(__file__).with_name("restate.lock")
_TIMEOUT_SECONDS = 300
_QUIET = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error")


def install(lock: Path, folder: Path | None = None) -> Path:
    """The `node_modules` folder with the locked packages, installed into the cache on first use.

    Raises `PackagesUnavailable` when npm is missing or fails, `LockMismatch` when it finds other content.
    """
    content = lock.read_bytes()
    home = (folder or cache_folder() / "npm") / f"{lock.stem}-{hashlib.sha256(content).hexdigest()[:16]}"
    if not home.exists():
        home.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".install-", dir=home.parent) as workspace:
            _write_project(Path(workspace), content)
            _npm(Path(workspace), "ci")
            _move(Path(workspace), home)
    return home / "node_modules"


def relock(lock: Path) -> None:
    """For developers: let npm resolve the lock's root dependencies anew and rewrite it, free of registry addresses."""
    with tempfile.TemporaryDirectory(prefix="quorate-lock-") as workspace:
        _write_project(Path(workspace), lock.read_bytes())
        (Path(workspace) / "package-lock.json").unlink()
        _npm(Path(workspace), "install", "--package-lock-only", "--omit-lockfile-registry-resolved")
        resolved = json.loads((Path(workspace) / "package-lock.json").read_text())
    unfinished = lock.with_name(f".{lock.name}.part")
    unfinished.write_text(json.dumps(resolved, indent=1) + "\n")
    unfinished.replace(lock)


def program(modules: Path, package: str, name: str) -> str:
    """The program that a package's variant for this platform carries. Raises `PackagesUnavailable`."""
    found = sorted(modules.glob(f"{package}-*/bin/{name}"))
    if not found:
        raise PackagesUnavailable(name, f"{package} has no program for this platform", "Linux or macOS on x64 or arm64")
    return str(found[0])


def _write_project(workspace: Path, lock: bytes) -> None:
    """Lay out a project for npm, which wants the root's dependencies in package.json too; the lock has them."""
    (workspace / "package-lock.json").write_bytes(lock)
    (workspace / "package.json").write_text(json.dumps(json.loads(lock)["packages"][""]))


def _npm(workspace: Path, *arguments: str) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise PackagesUnavailable("npm", "there is none on PATH", "install Node.js with npm")
    try:
        command = [npm, *arguments, *_QUIET]
        done = subprocess.run(
            command, cwd=workspace, capture_output=True, text=True, timeout=_TIMEOUT_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        why = f"npm took over {_TIMEOUT_SECONDS} s"
        raise PackagesUnavailable("Node packages", why, "check the network") from error
    if done.returncode != 0:
        said = " | ".join(done.stderr.strip().splitlines()[:4])
        if "EINTEGRITY" in said:
            raise LockMismatch("A Node package", f"npm said {said}")
        raise PackagesUnavailable("Node packages", f"npm said {said}", "check npm's registry setting and the network")


def _move(workspace: Path, home: Path) -> None:
    """Give a finished installation its name; if another process was first, its installation serves."""
    try:
        workspace.rename(home)
    except OSError:
        if not home.exists():
            raise
    workspace.mkdir(exist_ok=True)  # for the owner of the temporary folder to remove
