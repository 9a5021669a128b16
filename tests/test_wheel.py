"""What a user installs: the wheel carries the five packages with their types, the command, and nothing else."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from configparser import ConfigParser
from email.parser import HeaderParser
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = {"spec", "reference_impl", "conformance", "spark_checks", "quorate"}

PATIENCE_S = 180
"""What a new user's way from nothing to a verdict may take."""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> ZipFile:
    """Build the wheel with the hatchling of this environment: nothing is downloaded."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*build, "--wheel-dir", str(folder), str(ROOT)], check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return ZipFile(built)


def test_top_level_names(wheel: ZipFile) -> None:
    """Flat names are shared with everybody else's: the wheel claims these five and no more."""
    tops = {name.partition("/")[0] for name in wheel.namelist()}
    assert {name for name in tops if not name.endswith(".dist-info")} == PACKAGES


def test_everything_that_runs_is_inside(wheel: ZipFile) -> None:
    """A file that works from the checkout and is missing from the wheel would be found by users only."""
    inside = set(wheel.namelist())
    files = (path for package in PACKAGES for path in (ROOT / package).rglob("*"))
    sources = {path.relative_to(ROOT).as_posix() for path in files if path.suffix in (".py", ".lock", ".json", ".md")}
    assert sources <= inside
    assert {f"{package}/py.typed" for package in PACKAGES} <= inside


def test_it_runs_as_the_zip_that_it_is(wheel: ZipFile, tmp_path: Path) -> None:
    """Spark hands it to workers as one file, and nothing is unpacked: texts that modules read come along."""
    program = (
        "import spec, conformance.forms.html; from conformance.cli import main; from spec.sources.tables import table; "
        "print('.zip' in spec.__file__, table('recovery').title); "
        "main(['rules', 'show', 'log.append.copy_before_ack']); main(['trace', 'schema', 'report'])"
    )
    archive = shutil.copy(str(wheel.filename), tmp_path / "quorate.zip")
    environment = {**os.environ, "PYTHONPATH": str(archive)}
    run = [sys.executable, "-P", "-c", program]
    ended = subprocess.run(run, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("True ")


def test_command_and_plugin(wheel: ZipFile) -> None:
    """Installing gives one command, `quorate`, and one plugin of pytest."""
    (name,) = (name for name in wheel.namelist() if name.endswith("entry_points.txt"))
    points = ConfigParser()
    points.read_string(wheel.read(name).decode())
    assert dict(points["console_scripts"]) == {"quorate": "conformance.cli:main"}
    assert dict(points["pytest11"]) == {"quorate.plugin": "quorate.plugin"}


def test_a_new_user_tests_a_log(wheel: ZipFile, tmp_path: Path) -> None:
    """The tutorial's path: what is installed, and twenty lines of adapter, are enough for pytest to ask a log."""
    installed, folder = tmp_path / "installed", tmp_path / "mine"
    wheel.extractall(installed)
    shutil.copytree(ROOT / "examples" / "mylog", folder)
    pytest_of_user = [
        sys.executable,
        "-P",
        "-m",
        "pytest",
        "--quorate-adapter",
        "adapter:Adapter",
        "-k",
        "adapter or crash",
    ]
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    ended = subprocess.run(pytest_of_user, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "survives_crash  holds" in ended.stdout


@pytest.mark.thorough
@pytest.mark.costly("what Spark and z3 need is downloaded and unpacked")
def test_a_new_user_begins_in_an_empty_environment(
    wheel: ZipFile, tmp_path: Path, record_testsuite_property: Callable[[str, object], None]
) -> None:
    """`pip install`, the tutorial's adapter, `pytest`: all of it in a fresh environment, within three minutes of work.

    The report has the time by the clock as ``new_user_s``, and the work, which does not hang on what else the machine
    does, as ``new_user_cpu_s``. Without a package index it is skipped, and the reason is told.
    """
    python, folder, own = tmp_path / "fresh" / "bin" / "python", tmp_path / "mine", ("PYTHON", "PYTEST", "COVERAGE")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(own)}

    def asked(*words: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)

    folder.mkdir()
    shutil.copy(ROOT / "examples" / "mylog" / "mylog.py", folder)
    (folder / "adapter.py").write_text(tutorial_adapter(), encoding="utf-8")
    begun, spent_s = time.monotonic(), spent_by_children_s()
    made = asked(sys.executable, "-m", "venv", tmp_path / "fresh")
    assert made.returncode == 0, made.stderr
    index = asked(python, "-m", "pip", "install", "--quiet", "--dry-run", "--no-deps", "msgspec")
    if index.returncode:
        pytest.skip(f"no package index is in reach: {index.stderr.strip():.200}")
    installed = asked(python, "-m", "pip", "install", "--quiet", "--no-compile", str(wheel.filename))
    assert installed.returncode == 0, installed.stderr
    ended = asked(python, "-m", "pytest", "--quorate-adapter", "adapter:Adapter")
    work_s = spent_by_children_s() - spent_s
    record_testsuite_property("new_user_s", round(time.monotonic() - begun))
    record_testsuite_property("new_user_cpu_s", round(work_s))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert re.search(r"^no_loss +holds", ended.stdout, re.MULTILINE)
    assert work_s < PATIENCE_S


def spent_by_children_s() -> float:
    """The processor seconds of all processes that this one started and that have ended."""
    spent = os.times()
    return spent.children_user + spent.children_system


def tutorial_adapter() -> str:
    """The adapter that the tutorial shows: some twenty lines."""
    text = (ROOT / "docs" / "tutorial" / "test-your-own-log.md").read_text(encoding="utf-8")
    (adapter,) = (block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "class Adapter" in block)
    return str(adapter)


def test_metadata(wheel: ZipFile) -> None:
    """The licence text is inside, and the oldest Python is stated."""
    (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    metadata = HeaderParser().parsestr(wheel.read(name).decode())
    assert (metadata["Name"], metadata["Requires-Python"]) == ("quorate", ">=3.11")
    assert metadata["License-Expression"] == "Apache-2.0"
    assert any(name.endswith("licenses/LICENSE") for name in wheel.namelist())
