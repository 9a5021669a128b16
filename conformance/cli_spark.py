"""Checking with Spark from the command: a session of ours around the job, and witnesses where they are cheap."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Literal, TypeAlias

from conformance.cli_parts import Problem

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spec.language.rule import Rule
    from spec.reports.report import Report

Plan: TypeAlias = Literal["auto", "sql", "blocks"]
"""How Spark judges; the names are those of ``spark_checks.checking``."""


def check_on_spark(
    path: str, rules: Sequence[Rule], *, plan: Plan = "auto", output: str | None = None, kept: int = 20, shown: int = 3
) -> Report:
    """Start Spark here, judge a trace, and stop Spark.

    Raises:
        Problem: the plan does not fit the trace.
        JavaNotFound: Spark cannot start.
    """
    from conformance.trace.open import open_trace

    open_trace(path)  # what is wrong with a header shows before Spark starts
    with own_session("quorate check") as session:
        return check_in(session, path, rules, plan=plan, output=output, kept=kept, shown=shown)


@contextmanager
def own_session(app: str) -> Iterator[SparkSession]:
    """A session whose Java says nothing of its own: what goes wrong is told once, by the error that is raised.

    Raises:
        JavaNotFound: Spark cannot start.
    """
    from spark_checks.session import spark_session

    before = logging.root.manager.disable
    logging.disable()  # py4j's log of an interruption is a trace of calls
    try:
        with ExitStack() as stack:
            with java_kept_quiet():
                session = stack.enter_context(spark_session(app))
            session.sparkContext.setLogLevel("OFF")
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
    """Judge a trace in a session; sorted Parquet also gives witnesses, since it need not be read whole for them.

    Raises:
        Problem: the plan does not fit the trace.
    """
    from conformance.check.witness import witnesses
    from conformance.trace.open import Parquet, open_trace
    from spark_checks.checking import NotForBlocks, check

    try:
        report = check(session, path, rules, plan=plan, kept=kept, output=output)
    except NotForBlocks as error:
        what, _, advice = str(error).partition(": ")
        raise Problem("--plan blocks does not fit", what, advice, path) from None
    trace = open_trace(path)
    if not (isinstance(trace, Parquet) and trace.sorted):
        return report
    chosen = {violation: said.rule for said in report.verdict.judged for violation in said.violations[:shown]}
    return replace(report, witnesses=witnesses(trace, chosen))
