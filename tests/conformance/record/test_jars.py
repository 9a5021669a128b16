"""Locked Java libraries: only the locked bytes are used, and no registry is named (`conformance.record.jars`)."""

from __future__ import annotations

import functools
import hashlib
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.record.errors import LockMismatch, PackagesUnavailable
from conformance.record.jars import (
    BOOKKEEPER_LOCK,
    KAFKA_LOCK,
    SPARK_KAFKA_LOCK,
    Jar,
    cache_folder,
    fetch,
    locked_version,
    read_lock,
    relock,
)
from conformance.record.kafka import VERSION as KAFKA_VERSION

CONTENT = {"org/example/one/1.0/one-1.0.jar": b"first library", "org/example/two/2.0/two-2.0.jar": b"second library"}
FAKE_IVY = """#!/bin/sh
# Stands for `java -jar ivy.jar`: writes the file that the lock names where Ivy's -retrieve pattern would put it.
while [ $# -gt 1 ]; do [ "$1" = -retrieve ] && files="${2%%/\\[*}"; shift; done
mkdir -p "$files/org.example/one/1.0" && printf 'first library' > "$files/org.example/one/1.0/one-1.0.jar"
"""


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    file = tmp_path / "some.lock"
    lines = [f"{hashlib.sha256(content).hexdigest()} {len(content)} {path}" for path, content in CONTENT.items()]
    file.write_text("\n".join(["# root org.example:one:1.0", *lines]) + "\n")
    return file


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A mirror on loopback that serves CONTENT, named by MAVEN_REPO."""
    folder = tmp_path / "mirror"
    for path, content in CONTENT.items():
        (folder / path).parent.mkdir(parents=True)
        (folder / path).write_bytes(content)

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        monkeypatch.setenv("MAVEN_REPO", f"http://127.0.0.1:{server.server_port}/")
        yield folder
        server.shutdown()
        thread.join()


@pytest.fixture
def fake_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """JAVA_HOME with an executable to be written by the test, and no mirror."""
    java = tmp_path / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(FAKE_IVY)
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "java"))
    monkeypatch.delenv("MAVEN_REPO", raising=False)
    return java


@pytest.mark.usefixtures("served")
def test_a_mirror_serves_the_locked_libraries_in_lock_order(lock: Path, tmp_path: Path) -> None:
    files = fetch(lock, tmp_path / "jars")
    assert [file.read_bytes() for file in files] == list(CONTENT.values())
    assert sorted(file.name for file in (tmp_path / "jars").iterdir()) == ["one-1.0.jar", "two-2.0.jar"]


def test_what_is_intact_is_not_fetched_again(lock: Path, tmp_path: Path, served: Path) -> None:
    first = fetch(lock, tmp_path / "jars")
    for path in CONTENT:
        (served / path).unlink()
    assert fetch(lock, tmp_path / "jars") == first


@pytest.mark.usefixtures("served")
def test_a_damaged_file_in_the_cache_is_fetched_again(lock: Path, tmp_path: Path) -> None:
    file, _ = fetch(lock, tmp_path / "jars")
    file.write_bytes(b"First library")
    assert fetch(lock, tmp_path / "jars")[0].read_bytes() == b"first library"


def test_a_library_with_another_sha256_is_refused_and_not_kept(lock: Path, tmp_path: Path, served: Path) -> None:
    wrong = next(iter(CONTENT))
    (served / wrong).write_bytes(b"FIRST library")
    with pytest.raises(LockMismatch, match=wrong):
        fetch(lock, tmp_path / "jars")
    assert not (tmp_path / "jars" / "one-1.0.jar").exists()


def test_a_library_that_the_mirror_lacks_is_unavailable(lock: Path, tmp_path: Path, served: Path) -> None:
    (served / next(iter(CONTENT))).unlink()
    with pytest.raises(PackagesUnavailable, match=r"one-1\.0\.jar cannot be had: the mirror in MAVEN_REPO said"):
        fetch(lock, tmp_path / "jars")


@pytest.mark.usefixtures("fake_java")
def test_without_a_mirror_ivy_brings_the_library(lock: Path, tmp_path: Path) -> None:
    lock.write_text("".join(line for line in lock.read_text().splitlines(keepends=True) if "two-2.0" not in line))
    (file,) = fetch(lock, tmp_path / "jars")
    assert file.read_bytes() == b"first library"


@pytest.mark.usefixtures("fake_java")
def test_what_ivy_does_not_bring_is_unavailable(lock: Path, tmp_path: Path) -> None:
    with pytest.raises(PackagesUnavailable, match=r"two-2\.0\.jar cannot be had: Ivy did not bring it"):
        fetch(lock, tmp_path / "jars")


def test_what_ivy_complains_about_is_told(lock: Path, tmp_path: Path, fake_java: Path) -> None:
    fake_java.write_text("#!/bin/sh\necho ':: org.example#one;1.0: not found'; echo 'something else'; exit 1\n")
    with pytest.raises(PackagesUnavailable, match=r"Ivy said :: org\.example#one;1\.0: not found\. Try"):
        fetch(lock, tmp_path / "jars")


@pytest.mark.usefixtures("fake_java")
def test_relocking_writes_what_the_roots_resolve_to(lock: Path) -> None:
    assert relock(lock) == 1
    digest = hashlib.sha256(b"first library").hexdigest()
    assert lock.read_text() == f"# root org.example:one:1.0\n{digest} 13 org/example/one/1.0/one-1.0.jar\n"


def test_relocking_leaves_out_what_the_lock_is_without(lock: Path, fake_java: Path) -> None:
    head = ["# root org.example:one:1.0", "# without org.unwanted", "# without org.example:two"]
    lock.write_text("".join(f"{line}\n" for line in head))
    excluded = ('<exclude org="org.unwanted" module="*"/>', '<exclude org="org.example" module="two"/>')
    asked = " && ".join(f"grep -qF '{one}' \"$ivy\"" for one in excluded)
    given = 'for word; do [ "$last" = -ivy ] && ivy="$word"; last="$word"; done\n'
    fake_java.write_text(FAKE_IVY.replace("#!/bin/sh\n", f"#!/bin/sh\n{given}{asked} || exit 1\n"))
    assert relock(lock) == 1
    assert lock.read_text().splitlines()[:3] == head


@pytest.mark.parametrize("line", ["", "abc 1 a/b/c/d.jar", f"{'0' * 64} x a/b/c/d.jar", f"{'0' * 64} 1 d.jar"])
def test_a_malformed_line_is_refused_with_its_number(tmp_path: Path, line: str) -> None:
    (tmp_path / "bad.lock").write_text(f"# root a:b:1\n{line}\n")
    with pytest.raises(ValueError, match="line 2: expected `sha256 size path`"):
        read_lock(tmp_path / "bad.lock")


def test_a_coordinate_is_read_off_the_path() -> None:
    assert Jar("0" * 64, 1, "org/example/deep/one/1.0/one-1.0.jar").coordinate == "org.example.deep:one:1.0"


@pytest.mark.parametrize(
    ("lock", "wanted"),
    [
        (KAFKA_LOCK, f"org.apache.kafka:kafka_2.13:{KAFKA_VERSION}"),
        (KAFKA_LOCK, "org.scala-lang:scala-library:2.13."),
        (SPARK_KAFKA_LOCK, "org.apache.spark:spark-sql-kafka-0-10_2.13:"),
        (BOOKKEEPER_LOCK, "org.apache.bookkeeper:bookkeeper-server:"),
        (BOOKKEEPER_LOCK, "org.apache.zookeeper:zookeeper:"),
    ],
)
def test_a_committed_lock_is_of_the_recorded_version_and_names_no_host(lock: Path, wanted: str) -> None:
    assert any(jar.coordinate.startswith(wanted) for jar in read_lock(lock))
    assert "://" not in lock.read_text()


def test_the_version_of_a_library_is_read_off_its_lock(lock: Path) -> None:
    assert locked_version(lock, "org.example:two") == "2.0"
    with pytest.raises(ValueError, match=r"has no org\.example:three"):
        locked_version(lock, "org.example:three")


def test_the_cache_follows_xdg_cache_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "quorate"
