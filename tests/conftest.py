"""What every test can ask for: a seed that replays it, the background material, one shared Spark session."""

import os
import platform
import shlex
import sys
from collections.abc import Generator, Iterator
from importlib.metadata import version
from pathlib import Path
from random import Random
from secrets import randbelow
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from tests.support import spark_classes

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).parent.parent
USUAL_SEED = 1
REPORTED_VERSIONS = ("pyspark", "z3-solver", "hypothesis", "numpy", "pyarrow")
SEED = "quorate_seed"
"""Under which name a worker is told the seed."""
MARKED_FIXTURES = ("shared", "spark")

PROFILES = {"test": 20, "thorough": 400}
"""How many examples Hypothesis tries in ``make test``, and in ``make thorough``."""

SHORT_LIVED = "-XX:TieredStopAtLevel=1"
"""Java compiles twice what it runs often, the second time for speed: what judges little never gets that back."""

# No deadline and no complaint about slowness: this suite judges answers, never the speed of the machine it runs on.
for profile, examples in PROFILES.items():
    settings.register_profile(
        profile,
        max_examples=examples,
        deadline=None,
        derandomize=False,  # Hypothesis would set it on continuous integration, and ignore the printed seed
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow],
    )


pytest_plugins = ["tests.suite.plugin"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer to renew golden files instead of comparing with them."""
    parser.addoption("--rewrite", action="store_true", help="renew golden files instead of comparing with them")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Settle profile, seed and Java before they are read: thorough looks elsewhere, the others repeat themselves."""
    if config.option.hypothesis_profile is None:
        config.option.hypothesis_profile = "test"
    if config.option.hypothesis_profile != "thorough":
        os.environ.setdefault("SPARK_LAUNCHER_OPTS", SHORT_LIVED)
        os.environ.setdefault("SPARK_SUBMIT_OPTS", shlex.join([SHORT_LIVED, *spark_classes.options()]))
    told = getattr(config, "workerinput", {}).get(SEED)
    if told is not None:
        config.option.hypothesis_seed = told
    if config.option.hypothesis_seed is None:
        thorough = config.option.hypothesis_profile == "thorough"
        config.option.hypothesis_seed = str(randbelow(2**32) if thorough else USUAL_SEED)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell each worker the seed of the whole run, so that the line that is shown replays what any of them did."""
    node.workerinput[SEED] = node.config.option.hypothesis_seed


def _replay(config: pytest.Config, nodeid: str = "") -> str:
    """Return the line that runs the tests, or one of them, with the same seed and profile."""
    python = Path(sys.executable).relative_to(ROOT) if Path(sys.executable).is_relative_to(ROOT) else sys.executable
    options = [f"--hypothesis-profile={config.option.hypothesis_profile}"]
    options.append(f"--hypothesis-seed={config.option.hypothesis_seed}")
    return shlex.join([str(python), "-m", "pytest", *options, *filter(None, [nodeid])])


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say with which versions this runs, and how to run it again."""
    versions = ", ".join(f"{name} {version(name)}" for name in REPORTED_VERSIONS)
    return [
        f"Python {platform.python_version()}: {versions}",
        f"seed: {_replay(config)}",
    ]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give a test that asks for Spark or for the background material the marker of that name."""
    for item in items:
        for name in MARKED_FIXTURES:
            if name in getattr(item, "fixturenames", ()):
                item.add_marker(name)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add to a failure the line that replays it."""
    report = yield
    if report.failed:
        report.sections.append(("replay", _replay(item.config, item.nodeid)))
    return report


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> Random:
    """Give this test's own generator: the same for the same seed, whichever other tests run."""
    return Random(f"{request.config.option.hypothesis_seed} {request.node.nodeid}")


@pytest.fixture(scope="session")
def shared() -> Path:
    """Give the folder of background material beside this checkout; the project is complete without it."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("the background material is not beside this checkout (../shared)")
    return folder


@pytest.fixture(scope="session")
def spark() -> "Iterator[SparkSession]":
    """Give one Spark session to all tests that ask for it; it starts with the first of them."""
    from spark_checks.session import spark_session

    with spark_session("quorate tests", cores=2, memory="4g") as session:
        yield session
