"""Service: of which nodes new nodesets are made. LogDevice, docs/Rebuilding.md, draining and undraining."""

# ruff: noqa: ARG001 - all steps have one signature

from __future__ import annotations

from typing import Final

from reference_impl.kernel.step import Handlers, Moment, Stepped
from reference_impl.log.context import LogContext
from reference_impl.log.epoch_store import EpochStore
from reference_impl.log.rebuilding.messages import InService


def serve(store: EpochStore, message: InService, moment: Moment, context: LogContext) -> Stepped[EpochStore]:
    """Make nodesets of these nodes from now on."""
    return store._replace(members=message.members), ()


HANDLERS: Final[Handlers] = {InService: serve}
