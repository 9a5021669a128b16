"""Checking with Spark from the command: a session of ours around the job, and witnesses of what is broken."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Literal, TypeAlias

from conformance.cli_parts import Problem

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from conformance.trace.open import Parquet, Trace
    from spec.language.outcomes import Violation
    from spec.language.rule import Rule
    from spec.reports.report import Report

Plan: TypeAlias = Literal["auto", "sql", "blocks"]
"""How Spark judges; the names are those of ``spark_checks.checking``."""


def check_on_spark(
    path: str,
    rules: Sequence[Rule],
    *,
    plan: Plan = "auto",
    output: str | None = None,
    kept: int = 20,
    shown: int = 3,
    remote: str | None = None,
) -> Report:
    """Start Spark here, or turn to a server; judge a trace, and stop Spark.

    Raises:
        Problem: the plan does not fit the trace.
        NoServer: no server answers.
        JavaNotFound: Spark cannot start.
    """
    from conformance.trace.open import open_trace

    open_trace(path)  # what is wrong with a header shows before Spark starts
    with own_session("quorate check", remote=remote) as session:
        return check_in(session, path, rules, plan=plan, output=output, kept=kept, shown=shown)


@contextmanager
def own_session(
    app: str, *, cores: int = 2, settings: Mapping[str, str] | None = None, remote: str | None = None
) -> Iterator[SparkSession]:
    """A session, here or of a server, whose Java says nothing: what goes wrong is told once, by the error raised.

    Raises:
        JavaNotFound: Spark cannot start.
        JavaEnded: Spark's Java process ended before the work was done.
    """
    from spark_checks.session import silence, spark_session

    before = logging.root.manager.disable
    logging.disable()  # py4j's log of an interruption is a trace of calls
    try:
        with ExitStack() as stack:
            with java_kept_quiet():
                session = stack.enter_context(spark_session(app, cores=cores, settings=settings, remote=remote))
            silence(session)
            yield session
    finally:
        logging.disable(before)


@contextmanager
def java_kept_quiet() -> Iterator[None]:
    """Give programs that start meanwhile a file as their standard error; it is shown where the start fails.

    Java warns of the modules that Spark itself asks for, and no setting prevents it.
    """
    sys.stderr.flush()
    with TemporaryFile() as said, os.fdopen(os.dup(2), "wb") as ours:
        os.dup2(said.fileno(), 2)
        try:
            yield
        except Exception:
            said.seek(0)
            ours.write(said.read())
            raise
        finally:
            os.dup2(ours.fileno(), 2)


def check_in(
    session: SparkSession,
    path: str,
    rules: Sequence[Rule],
    *,
    plan: Plan = "auto",
    output: str | None = None,
    kept: int = 20,
    shown: int = 3,
) -> Report:
    """Judge a trace in a session, and give witnesses, for which only a part of it is read.

    Raises:
        Problem: the plan does not fit the trace.
    """
    from conformance.check.witness import witnesses
    from spark_checks.checking import NotForBlocks, check_prepared, prepared

    try:
        with prepared(session, path, plan) as trace:
            report = check_prepared(session, trace, rules, kept=kept, output=output)
            chosen = {violation: said.rule for said in report.verdict.judged for violation in said.violations[:shown]}
            if not chosen:
                return report
            with in_order(session, trace.read, chosen) as ordered:
                return replace(report, witnesses=witnesses(ordered, chosen))
    except NotForBlocks as error:
        what, _, advice = str(error).partition(": ")
        raise Problem("--plan blocks does not fit", what, advice, path) from None


@contextmanager
def in_order(session: SparkSession, trace: Trace, violations: Mapping[Violation, Rule]) -> Iterator[Parquet]:
    """The trace itself if it is sorted Parquet; otherwise a sorted excerpt that has what these broken rules read.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with the trace.
    """
    from conformance.check.witness import kinds_around, partition_of
    from conformance.trace.open import Parquet
    from spark_checks.excerpt import excerpt

    if isinstance(trace, Parquet) and trace.sorted:
        yield trace
        return
    found = {violation: partition_of(rule.view, violation.key) for violation, rule in violations.items()}
    of_none = [rule for violation, rule in violations.items() if found[violation] is None]
    here = {partition for partition in found.values() if partition is not None}
    with excerpt(session, trace, here, frozenset().union(*map(kinds_around, of_none))) as cut:
        yield cut
