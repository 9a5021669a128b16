"""A standalone cluster of Spark on loopback: a master, and workers that can be killed; none outlives its test."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyspark

from conformance.record.servers import Server, Servers, free_ports, is_listening
from spark_checks.java import find_java
from spark_checks.session import LOOPBACK

HOME = Path(pyspark.__file__).parent
PATIENCE_S = 120
"""How long a master and its workers may take to find each other."""

CONNECT = "org.apache.spark.sql.connect.service.SparkConnectServer"

QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""What lives for seconds compiles nothing that it would not pay back."""


@dataclass(frozen=True)
class Standalone:
    """A cluster that runs.

    Attributes:
        url: its master.
        workers: its workers, each with one core.
        servers: all processes.
    """

    url: str
    workers: tuple[Server, ...]
    servers: Servers


@contextmanager
def standalone(folder: Path, workers: int = 2, memory: str = "1g") -> Iterator[Standalone]:
    """A master and workers of one core each, for the length of a `with` block."""
    port, masters_page, *pages = free_ports(2 + workers)
    url = f"spark://{LOOPBACK}:{port}"
    place = ["--host", LOOPBACK]
    said = ["org.apache.spark.deploy.master.Master", *place, "--port", str(port), "--webui-port", str(masters_page)]
    master = _daemon("master", said, folder)
    own = ["org.apache.spark.deploy.worker.Worker", *place, "--cores", "1", "--memory", memory]
    work = []
    for number, page in enumerate(pages):
        folders = ["--work-dir", str(folder / f"work-{number}")]
        work.append(_daemon(f"worker-{number}", [*own, "--webui-port", str(page), *folders, url], folder))
    with Servers((master, *work)) as servers:
        for server in servers.servers:
            server.start()
        found = f"{workers} workers at the master"
        servers.wait(lambda: master.log_text().count("Registering worker") >= workers, found, seconds=PATIENCE_S)
        yield Standalone(url, tuple(work), servers)


@contextmanager
def connect_server(folder: Path, memory: str = "2g") -> Iterator[str]:
    """A Spark Connect server with two cores, for the length of a `with` block; gives its address."""
    (port,) = free_ports(1)
    settings = {
        "spark.connect.grpc.binding.address": LOOPBACK,
        "spark.connect.grpc.binding.port": str(port),
        "spark.driver.bindAddress": LOOPBACK,
        "spark.driver.host": LOOPBACK,
        "spark.local.dir": str(folder / "local"),
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.ui.enabled": "false",
    }
    words = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
    words += ["--master", "local[2]", "--class", CONNECT]
    server = _daemon("connect", ["org.apache.spark.deploy.SparkSubmit", *words], folder, memory)
    with Servers((server,)) as servers:
        server.start()
        servers.wait(lambda: is_listening(port), "the server", seconds=PATIENCE_S)
        yield f"sc://{LOOPBACK}:{port}"


class _Daemon(Server):
    """A server that says in its log how far it has come."""

    def log_text(self) -> str:
        """All that it said."""
        return self.log.read_text(errors="replace") if self.log.exists() else ""


def _daemon(name: str, words: list[str], folder: Path, memory: str = "256m") -> _Daemon:
    own = {
        "JAVA_HOME": str(find_java().home),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_DAEMON_JAVA_OPTS": QUICK,
        "SPARK_DAEMON_MEMORY": memory,
        "SPARK_HOME": str(HOME),
        "SPARK_LOCAL_IP": LOOPBACK,
    }
    return _Daemon(name, [str(HOME / "bin" / "spark-class"), *words], folder / f"{name}.log", own)
