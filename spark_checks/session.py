"""Open a Spark session for checks: on this machine, the one that is already there, or one of a Spark Connect server.

A session of ours listens on loopback only, shows no web page, runs Python workers with this very interpreter, raises on
overflow and bad casts (ANSI), and keeps its files in a temporary folder that it removes. Under `spark-submit`, or where
a session is already active, nothing of that is imposed: the cluster's owner has decided. Nor is it on a server, whose
workers get the packages that they need from here.
"""

import os
import socket
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from spark_checks.java import find_java
from spark_checks.packages import packed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOOPBACK = "127.0.0.1"


class NoServer(RuntimeError):
    """No Spark Connect server answers at an address, or `quorate[connect]` is not installed; the message says which."""


class JavaEnded(RuntimeError):
    """Spark's Java process ended before the work was done: something killed it, or memory was short."""

    def __init__(self) -> None:
        super().__init__("something killed it, or memory was short")


CONNECT_PORT = 15002
"""Where a Spark Connect server listens, unless it was told otherwise."""

ANSWER_TIMEOUT_S = 10
"""How long a server may take to accept a connection."""

ASKED_AGAIN = 5
"""Times that a server is asked again which does not answer any more, each after a pause four times as long."""

JAVA_END_TIMEOUT_S = 60
"""How long Java may take to end once nothing holds it any more; normally well below a second."""

WORKER_ALLOCATION = {
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TOP_PAD_": "67108864",
    "MALLOC_TRIM_THRESHOLD_": "100000000000",
}
"""What glibc reads when a Python worker starts: keep freed memory, else large numpy temporaries fault page by page."""

EVENTS_PER_PARTITION = "spark.quorate.eventsPerPartition"
"""The setting by which sessions of ours have small traces shuffled into fewer partitions, each of about so many."""

JAVA_OPTIONS = "-XX:+UseParallelGC -XX:-DontCompileHugeMethods"
"""Collect garbage with all cores, and compile methods of more than 8,000 bytes, too: what judges a row has 20,000."""

QUIET_LOG = """\
rootLogger.level = error
rootLogger.appenderRef.stderr.ref = stderr
logger.shell.name = org.apache.spark.api.python.PythonGatewayServer
logger.shell.level = error
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = Spark %p %c{1}: %m%n
"""
"""Log settings in force from Spark's first line on; the setting `spark.log.level` would come after its greetings."""


@contextmanager
def spark_session(
    app: str,
    *,
    cores: int = 2,
    memory: str = "2g",
    shuffle_partitions: int = 8,
    settings: Mapping[str, str] | None = None,
    remote: str | None = None,
) -> "Iterator[SparkSession]":
    """Give a Spark session for the length of a `with` block.

    With a `remote` address such as sc://host:15002 it is one of that Spark Connect server. Otherwise an active session
    is handed on as it is, and left running. Under `spark-submit` the session takes the submitted master and settings,
    and only `app` and `settings` are added. Otherwise Spark starts here with `cores` threads and `memory` for its Java
    process (as Spark writes it: "2g"), shuffles into `shuffle_partitions`, and at the end leaves
    neither that process nor files. `settings` come last and win over ours.

    Raises:
        JavaNotFound: Spark would have to start here and no suitable Java was found.
        JavaEnded: the Java process of a session that was started ended before the block did.
        NoServer: there is no Spark Connect server at the address, or its client is not installed.
    """
    from pyspark.sql import SparkSession  # noqa: PLC0415 - seconds of import, and Java is looked for first

    if remote is not None:
        with _of_server(SparkSession, app, remote, settings or {}) as session:
            yield session
        return
    active = SparkSession.getActiveSession()
    if active is not None:
        yield active
        return
    if "PYSPARK_GATEWAY_PORT" in os.environ:  # set by spark-submit alone, whose Java process is already up
        with _end_of_java_named(), _started(SparkSession, app, settings or {}) as session:
            yield session
        return
    with tempfile.TemporaryDirectory(prefix="quorate-spark-", ignore_cleanup_errors=True) as scratch:
        ours = _local_settings(cores, memory, shuffle_partitions, Path(scratch))
        with (
            _environment(_launch_environment()),
            _own_java(),
            _end_of_java_named(),
            _started(SparkSession, app, ours | dict(settings or {})) as session,
        ):
            yield session


@contextmanager
def _of_server(
    spark: "type[SparkSession]", app: str, remote: str, settings: Mapping[str, str]
) -> "Iterator[SparkSession]":
    """A session of a Spark Connect server, whose tasks have the packages that run here.

    Raises:
        NoServer: nobody answers, or nobody does any more.
    """
    from pyspark.errors import PySparkException  # noqa: PLC0415 - as above

    _answers(remote)
    try:
        session = spark.builder.appName(app).remote(remote).getOrCreate()
        _ask_less_often(session)
        for name, value in settings.items():
            session.conf.set(name, value)
        with tempfile.TemporaryDirectory(prefix="quorate-spark-") as scratch:
            session.addArtifacts(str(packed(Path(scratch))), pyfile=True)
    except (PySparkException, ImportError) as error:
        raise NoServer(" ".join(str(error).split())[:300]) from None
    try:
        yield session
    except PySparkException:
        _answers(remote)
        raise
    finally:
        session.stop()


def _ask_less_often(session: "SparkSession") -> None:
    """Let a call of a server that has ended fail in half a minute; the client would go on asking for ten."""
    from pyspark.sql.connect.client.retries import DefaultPolicy  # noqa: PLC0415 - it needs what may not be installed

    client: Any = session.client
    client.set_retry_policies([DefaultPolicy(max_retries=ASKED_AGAIN)])


def _answers(remote: str) -> None:
    """Ask once whether somebody listens: the client of Spark would go on asking for minutes.

    Raises:
        NoServer: nobody does, or it is no address.
    """
    try:
        place = urlsplit(remote)
        if place.scheme != "sc" or place.hostname is None:
            raise NoServer(f"{remote!r} is no address of a Spark Connect server, such as sc://host:15002")
        socket.create_connection((place.hostname, place.port or CONNECT_PORT), ANSWER_TIMEOUT_S).close()
    except (OSError, ValueError) as error:
        raise NoServer(f"{remote}: {error}") from None


def is_remote(session: "SparkSession") -> bool:
    """Whether a session is one of a Spark Connect server, which has no context here."""
    return ".connect." in type(session).__module__


def silence(session: "SparkSession") -> None:
    """Let Java say nothing of its own: what goes wrong is told once, by the error that is raised."""
    if not is_remote(session):
        session.sparkContext.setLogLevel("OFF")


def runs_here(session: "SparkSession") -> bool:
    """Whether the workers of a session run on this machine."""
    return not is_remote(session) and str(session.sparkContext.master).startswith("local")


def cores_of(session: "SparkSession") -> int:
    """How many tasks run at once, as far as Spark says; a server is asked how it shares out a range."""
    return _cores_of_server(session) if is_remote(session) else session.sparkContext.defaultParallelism


@lru_cache(maxsize=1)
def _cores_of_server(session: "SparkSession") -> int:
    """The same of a server, which is asked once: it takes a job."""
    places = session.range(1 << 16).selectExpr("spark_partition_id() AS place")
    return int(places.selectExpr("max(place) + 1 AS cores").collect()[0].cores)


@contextmanager
def _started(spark: "type[SparkSession]", app: str, settings: Mapping[str, str]) -> "Iterator[SparkSession]":
    """Start a session with these settings and stop it at the end."""
    from pyspark.logger import PySparkLogger  # noqa: PLC0415 - as above

    # Every error that is raised would be logged too, with hundreds of lines of Java frames: the raised one is enough.
    PySparkLogger.getLogger("SQLQueryContextLogger").setLevel("CRITICAL")
    builder = spark.builder.appName(app)
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    try:
        yield session
    finally:
        session.stop()


@contextmanager
def _end_of_java_named() -> Iterator[None]:
    """Say by its name that the Java process is gone, whatever the call was that noticed it.

    Raises:
        JavaEnded: it is.
    """
    from py4j.protocol import Py4JJavaError, Py4JNetworkError  # noqa: PLC0415 - as above

    try:
        yield
    except (ConnectionError, Py4JNetworkError, Py4JJavaError) as error:
        if isinstance(error, Py4JJavaError) and _can_tell(error):
            raise
        raise JavaEnded from None


def _can_tell(error: Exception) -> bool:
    """Whether Java, which keeps what an error of its own says, still answers."""
    try:
        return bool(str(error))
    except OSError:
        return False


@contextmanager
def _own_java() -> Iterator[None]:
    """At the end of a `with` block, end the Java process that Spark started inside it.

    Spark would keep it until Python ends, and a later session would inherit its memory and its removed folders.
    """
    from pyspark import SparkContext  # noqa: PLC0415 - as above

    someone_elses = SparkContext._gateway  # noqa: SLF001 - Spark has no public way to end its Java process
    try:
        yield
    finally:
        gateway = SparkContext._gateway  # noqa: SLF001
        if gateway is not None and gateway is not someone_elses:
            SparkContext._gateway = SparkContext._jvm = None  # noqa: SLF001
            gateway.shutdown()
            if gateway.proc is not None:
                gateway.proc.communicate(timeout=JAVA_END_TIMEOUT_S)


def _local_settings(cores: int, memory: str, shuffle_partitions: int, scratch: Path) -> dict[str, str]:
    """Return the settings of a session that runs on this machine alone; `scratch` takes all its files."""
    log_settings = scratch / "log4j2.properties"
    log_settings.write_text(QUIET_LOG)
    return {
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={log_settings.as_uri()} {JAVA_OPTIONS}",
        "spark.master": f"local[{cores}]",
        "spark.driver.memory": memory,
        "spark.driver.host": LOOPBACK,
        "spark.driver.bindAddress": LOOPBACK,
        "spark.local.dir": str(scratch / "local"),
        EVENTS_PER_PARTITION: "5000000",  # each task first reads its part of the plan, which outlasts a small share
        "spark.sql.adaptive.enabled": "false",  # nothing to find out: few cores, small tables hinted, fixed partitions
        "spark.sql.ansi.enabled": "true",
        "spark.sql.codegen.aggregate.map.twolevel.enabled": "false",  # too small for our keys, and twice the code
        "spark.sql.codegen.cache.maxEntries": "1000",  # one statement has over a hundred classes: none is compiled anew
        "spark.sql.codegen.maxFields": "1000",  # wide rows pass through one method, too, and are not copied in between
        "spark.sql.codegen.hugeMethodLimit": "65535",  # all that Java takes: what judges a row is one method, compiled
        "spark.sql.maxPlanStringLength": "10000",  # the plan of all rules is megabytes of text, which nobody reads
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": str(shuffle_partitions),
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        "spark.sql.ui.retainedExecutions": "1",  # kept without a web page, too: each with a plan of thousands of nodes
        "spark.ui.enabled": "false",
        "spark.ui.retainedJobs": "10",
        "spark.ui.retainedStages": "10",
        "spark.ui.showConsoleProgress": "false",
    } | {f"spark.executorEnv.{name}": value for name, value in WORKER_ALLOCATION.items()}


def _launch_environment() -> dict[str, str]:
    """Return what Spark reads from the environment when it starts: which Java, which Python, which address."""
    python = sys.executable
    return {
        "JAVA_HOME": str(find_java().home),
        "PYSPARK_DRIVER_PYTHON": python,
        "PYSPARK_PYTHON": python,
        "SPARK_LOCAL_IP": LOOPBACK,
    }


@contextmanager
def _environment(added: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables for the length of a `with` block, then put back what was there."""
    before = {name: os.environ.get(name) for name in added}
    os.environ.update(added)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
