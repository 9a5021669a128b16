"""``quorate watch``: what people type wrong is named before Spark starts.

Justified by docs/how-to/watch-a-live-log.md, which says what a source may be and what a topic needs.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.cli import main
from conformance.trace.header_json import header_to_json
from conformance.trace.json_text import encode
from spec.verdicts import ExitCode
from tests.support.planted import HEADER


@pytest.fixture
def broker() -> Iterator[str]:
    """Something that listens."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"127.0.0.1:{listening.getsockname()[1]}"


def said_by(folder: Path, capsys: pytest.CaptureFixture[str], source: str, *words: str) -> tuple[int, str]:
    """The exit code, and what stands on standard error."""
    code = main(["watch", source, "--store", str(folder / "store"), "--once", *words])
    return code, capsys.readouterr().err


@pytest.mark.parametrize("source", ["kafka://", "kafka://host/events", "kafka://host:9092", "kafka://host:9092/a b"])
def test_an_address_of_no_topic(tmp_path: Path, capsys: pytest.CaptureFixture[str], source: str) -> None:
    code, said = said_by(tmp_path, capsys, source)
    assert (code, "kafka://HOST:PORT[,HOST:PORT]/TOPIC" in said) == (ExitCode.USAGE, True), said


@pytest.mark.parametrize("option", ["--header", "--consumer-config", "--jars"])
def test_a_folder_needs_nothing_of_a_topic(tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str) -> None:
    code, said = said_by(tmp_path, capsys, str(tmp_path), option, "some")
    assert (code, f"{option} without a topic" in said) == (ExitCode.USAGE, True), said


@pytest.mark.parametrize("header", [b"\xff\xfe", b"[]", b"{", b'{"quorate_trace": 99}'])
def test_a_header_that_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str], broker: str, header: bytes) -> None:
    (tmp_path / "header.json").write_bytes(header)
    code, said = said_by(tmp_path, capsys, f"kafka://{broker}/events", "--header", str(tmp_path / "header.json"))
    assert (code, "header.json" in said) == (ExitCode.UNKNOWN, True), said


def test_no_broker_can_be_reached(tmp_path: Path, capsys: pytest.CaptureFixture[str], broker: str) -> None:
    """One that answers is enough."""
    with socket.create_server(("127.0.0.1", 0)) as gone:
        nobody = f"127.0.0.1:{gone.getsockname()[1]}"
    code, said = said_by(tmp_path, capsys, f"kafka://{nobody}/events")
    assert (code, "no broker can be reached" in said, nobody in said) == (ExitCode.UNKNOWN, True, True), said
    code, said = said_by(tmp_path, capsys, f"kafka://{nobody},{broker}/events")
    assert (code, "a topic has only events" in said) == (ExitCode.USAGE, True), said


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (("--header", "absent.json"), "absent.json"),
        (("--header", "header.json", "--jars", "absent.jar"), "absent.jar"),
        (("--header", "header.json", "--consumer-config", "bad.properties"), "bad.properties, line 3"),
        (("--settle", "-5"), "nor of seconds, as 30s"),
    ],
)
def test_what_a_topic_needs_is_named(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    broker: str,
    words: tuple[str, ...],
    wanted: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("header.json").write_bytes(encode(header_to_json(HEADER)))
    Path("bad.properties").write_text("# TLS\nsecurity.protocol = SSL\nssl.truststore.location\n")
    code, said = said_by(tmp_path, capsys, f"kafka://{broker}/events", *words)
    assert code in (ExitCode.USAGE, ExitCode.UNKNOWN)
    assert wanted in said
