"""Java libraries named by a committed lock file: downloaded once, checked by sha256, kept in the user's cache.

A lock file has one line per library, `sha256 size path`, the path being the one inside any Maven repository; its lines
`# root GROUP:ARTIFACT:VERSION` name what it was resolved from, and `# without GROUP` or `# without GROUP:ARTIFACT` what
was left out. No address of a repository stands in the code:
`MAVEN_REPO` names a mirror, and without it Ivy, the client inside pyspark, asks the repository that it is made for.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import urllib.request
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from conformance.record import ivy
from conformance.record.errors import LockMismatch, PackagesUnavailable

KAFKA_LOCK = Path(__file__).with_name("kafka.lock")
SPARK_KAFKA_LOCK = Path(__file__).with_name("spark_kafka.lock")
BOOKKEEPER_LOCK = Path(__file__).with_name("bookkeeper.lock")
_ROOT = "# root "
_WITHOUT = "# without "
_LINE = re.compile(r"(?P<sha256>[0-9a-f]{64}) (?P<size>\d+) (?P<path>[^\s/]+(/[^\s/]+){3,})")
_MIRROR_THREADS = 8
_IVY_PROCESSES = 4
_MIRROR_TIMEOUT_SECONDS = 60


@dataclass(frozen=True)
class Jar:
    """One line of a lock: the file's sha256 (hex), its size in bytes, its path in a Maven repository."""

    sha256: str
    size: int
    path: str

    @property
    def name(self) -> str:
        """The file name, unique within a lock."""
        return self.path.rpartition("/")[2]

    @property
    def coordinate(self) -> str:
        """`group:artifact:version`, read off the path."""
        group, artifact, version = self.path.rpartition("/")[0].rsplit("/", 2)
        return f"{group.replace('/', '.')}:{artifact}:{version}"


def cache_folder() -> Path:
    """Where downloaded programs are kept: `quorate` in XDG_CACHE_HOME, else in ~/.cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "quorate"


def read_lock(lock: Path) -> tuple[Jar, ...]:
    """The libraries of a lock file. Raises ValueError with file and line when a line is not `sha256 size path`."""
    jars = []
    for number, line in enumerate(lock.read_text().splitlines(), start=1):
        if line.startswith("#"):
            continue
        parts = _LINE.fullmatch(line)
        if parts is None:
            raise ValueError(f"{lock}, line {number}: expected `sha256 size path`, found {line!r}")
        jars.append(Jar(parts["sha256"], int(parts["size"]), parts["path"]))
    return tuple(jars)


def locked_version(lock: Path, library: str) -> str:
    """The version at which the lock has a library, `group:artifact`. Raises ValueError when it has none."""
    for jar in read_lock(lock):
        name, _, version = jar.coordinate.rpartition(":")
        if name == library:
            return version
    raise ValueError(f"{lock} has no {library}")


def fetch(lock: Path, folder: Path | None = None) -> tuple[Path, ...]:
    """Every library of the lock as a checked local file, in lock order; what is missing is downloaded into the folder.

    Raises `PackagesUnavailable` when a library cannot be had, `LockMismatch` when it is not the one that was locked.
    """
    folder = folder or cache_folder() / "jars"
    folder.mkdir(parents=True, exist_ok=True)
    jars = read_lock(lock)
    if missing := [jar for jar in jars if not _is_intact(jar, folder / jar.name)]:
        with tempfile.TemporaryDirectory(prefix=".fetch-", dir=folder) as workspace:
            if mirror := os.environ.get("MAVEN_REPO"):
                _from_mirror(mirror.rstrip("/"), missing, Path(workspace), folder)
            else:
                _from_ivy(missing, Path(workspace), folder)
    return tuple(folder / jar.name for jar in jars)


def relock(lock: Path) -> int:
    """For developers: resolve the lock's roots anew with Ivy, rewrite it, and return how many libraries it names."""
    head = [line for line in lock.read_text().splitlines() if line.startswith((_ROOT, _WITHOUT))]
    roots, without = ([line.removeprefix(word) for line in head if line.startswith(word)] for word in (_ROOT, _WITHOUT))
    with tempfile.TemporaryDirectory(prefix="quorate-lock-") as workspace:
        files = ivy.retrieve(roots, Path(workspace), transitive=True, without=without)
        entries = [(path, file.read_bytes()) for path, file in sorted(files.items())]
    lines = [f"{hashlib.sha256(content).hexdigest()} {len(content)} {path}" for path, content in entries]
    unfinished = lock.with_name(f".{lock.name}.part")
    unfinished.write_text("".join(f"{line}\n" for line in [*head, *lines]))
    unfinished.replace(lock)
    return len(lines)


def _from_mirror(mirror: str, jars: Sequence[Jar], workspace: Path, folder: Path) -> None:
    def download(jar: Jar) -> None:
        address = f"{mirror}/{jar.path}"
        try:
            with urllib.request.urlopen(address, timeout=_MIRROR_TIMEOUT_SECONDS) as answer:  # noqa: S310 - user's choice
                (workspace / jar.name).write_bytes(answer.read())
        except (OSError, ValueError) as error:
            why = f"the mirror in MAVEN_REPO said {error!r}"
            raise PackagesUnavailable(jar.path, why, "another MAVEN_REPO, or none") from error
        _admit(jar, workspace / jar.name, folder)

    with ThreadPoolExecutor(_MIRROR_THREADS) as threads:
        list(threads.map(download, jars))


def _from_ivy(jars: Sequence[Jar], workspace: Path, folder: Path) -> None:
    """Several Ivy processes, each with its share, because one alone asks for one file after another."""

    def retrieve(share: int) -> None:
        mine = jars[share::_IVY_PROCESSES]
        if not mine:
            return
        files = ivy.retrieve([jar.coordinate for jar in mine], workspace / str(share), transitive=False)
        for jar in mine:
            if jar.path not in files:
                raise PackagesUnavailable(jar.path, "Ivy did not bring it", "MAVEN_REPO=<base address of a mirror>")
            _admit(jar, files[jar.path], folder)

    with ThreadPoolExecutor(_IVY_PROCESSES) as threads:
        list(threads.map(retrieve, range(_IVY_PROCESSES)))


def _admit(jar: Jar, file: Path, folder: Path) -> None:
    """Only the locked bytes get their final name."""
    if not _is_intact(jar, file):
        found = hashlib.sha256(file.read_bytes()).hexdigest()
        raise LockMismatch(jar.path, f"its sha256 is {found}, the lock says {jar.sha256}")
    file.replace(folder / jar.name)


def _is_intact(jar: Jar, file: Path) -> bool:
    if not file.exists() or file.stat().st_size != jar.size:
        return False
    return hashlib.sha256(file.read_bytes()).hexdigest() == jar.sha256
