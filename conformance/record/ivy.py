"""Ask a Maven repository through Ivy, the client that ships inside pyspark: no Spark session, no Maven needed."""

from __future__ import annotations

import importlib.util
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.sax.saxutils import quoteattr

from conformance.record.errors import PackagesUnavailable
from conformance.record.java import find_java

_LAYOUT = "[organisation]/[module]/[revision]/[artifact]-[revision](-[classifier]).[ext]"
_TIMEOUT_SECONDS = 300
_COMPLAINTS = ("not found", "Server access error", "UNRESOLVED")
_ADVICE = "check the network, or set MAVEN_REPO to the base address of a mirror"


def retrieve(
    coordinates: Iterable[str], folder: Path, *, transitive: bool, without: Iterable[str] = ()
) -> dict[str, Path]:
    """Bring `group:artifact:version` coordinates, and if transitive all they need, into the folder.

    What they need `without`, each a `group` or a `group:artifact`, is left out.

    Returns each file by its path in a Maven repository. Raises `PackagesUnavailable`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    module = folder / "ivy.xml"
    module.write_text(_module(coordinates, without, transitive=transitive))
    files = folder / "files"
    command = [find_java(), "-jar", str(_ivy_jar()), "-cache", str(folder / "cache"), "-m2compatible"]
    command += ["-ivy", str(module), "-confs", "default", "-retrieve", f"{files}/{_LAYOUT}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise PackagesUnavailable("Java libraries", f"Ivy gave no answer in {_TIMEOUT_SECONDS} s", _ADVICE) from error
    if done.returncode != 0:
        raise PackagesUnavailable("Java libraries", f"Ivy said {_last_words(done.stdout + done.stderr)}", _ADVICE)
    return {_repository_path(file.relative_to(files)): file for file in files.rglob("*") if file.is_file()}


def _module(coordinates: Iterable[str], without: Iterable[str], *, transitive: bool) -> str:
    """An Ivy file that depends on the coordinates."""
    excluded = "".join(f"<exclude org={quoteattr(group)} module={quoteattr(name)}/>" for group, name in _parts(without))
    wanted = "".join(
        "<dependency org={} name={} rev={} conf='default->default' transitive='{}'/>".format(
            *map(quoteattr, coordinate.split(":")), str(transitive).lower()
        )
        for coordinate in coordinates
    )
    return (
        "<ivy-module version='2.0'><info organisation='quorate' module='recorders'/>"
        "<configurations><conf name='default'/></configurations>"
        f"<dependencies>{wanted}{excluded}</dependencies></ivy-module>"
    )


def _parts(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Group and artifact of each name; Ivy's word for any where it has no artifact."""
    for name in names:
        group, _, artifact = name.partition(":")
        yield group, artifact or "*"


def _ivy_jar() -> Path:
    """The Ivy of the installed pyspark, found without importing pyspark."""
    spec = importlib.util.find_spec("pyspark")
    folder = Path(spec.origin).parent / "jars" if spec is not None and spec.origin is not None else None
    jars = sorted(folder.glob("ivy-*.jar")) if folder is not None else []
    if not jars:
        where = f"there is no ivy-*.jar in {folder}" if folder is not None else "pyspark is not installed"
        raise PackagesUnavailable("Ivy", where, "pip install pyspark, or set MAVEN_REPO to a mirror")
    return jars[-1]


def _repository_path(file: Path) -> str:
    organisation, *rest = file.parts
    return "/".join([*organisation.split("."), *rest])


def _last_words(output: str) -> str:
    """Ivy's own complaint: its lines about what was not found, else its last line."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    complaints = [line for line in lines if any(sign in line for sign in _COMPLAINTS)]
    return " | ".join((complaints or lines[-1:])[:4])
