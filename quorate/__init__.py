"""quorate: hold replicated logs to their specification.

``check`` judges a trace, a ``Recorder`` writes one, and ``Log`` is what an adapter looks like through which ``pytest``
drives a log. Which of these names are stable, and how, says docs/reference/python-api.md. Nothing is loaded before it
is used: importing this package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from quorate.adapters.command import Command
    from quorate.adapters.errors import AdapterError
    from quorate.adapters.protocol import AsyncLog, AtEnd, Gap, Indefinite, Log, Lsn, Record, Refused
    from quorate.checking import check
    from quorate.errors import BadLsn, RecorderClosed, RecorderFailed, UnfinishedTrace
    from quorate.recorder import Recorder
    from quorate.recording import Append, Question, Reader, Recording, Subject, Writer
    from quorate.verdicts import Verdict, Violation

__all__ = [
    "AdapterError",
    "Append",
    "AsyncLog",
    "AtEnd",
    "BadLsn",
    "Command",
    "Gap",
    "Indefinite",
    "Log",
    "Lsn",
    "Question",
    "Reader",
    "Record",
    "Recorder",
    "RecorderClosed",
    "RecorderFailed",
    "Recording",
    "Refused",
    "Subject",
    "UnfinishedTrace",
    "Verdict",
    "Violation",
    "Writer",
    "check",
]

_HOMES: Final = {
    "quorate.adapters.command": ("Command",),
    "quorate.adapters.errors": ("AdapterError",),
    "quorate.adapters.protocol": ("AsyncLog", "AtEnd", "Gap", "Indefinite", "Log", "Lsn", "Record", "Refused"),
    "quorate.checking": ("check",),
    "quorate.errors": ("BadLsn", "RecorderClosed", "RecorderFailed", "UnfinishedTrace"),
    "quorate.recorder": ("Recorder",),
    "quorate.recording": ("Append", "Question", "Reader", "Recording", "Subject", "Writer"),
    "quorate.verdicts": ("Verdict", "Violation"),
}
"""The module of each public name."""


def __getattr__(name: str) -> Any:
    """A public name, from its module.

    Raises:
        AttributeError: there is no such name.
    """
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    raise AttributeError(f"module 'quorate' has no attribute {name!r}; it has {', '.join(__all__)}")


def __dir__() -> list[str]:
    """The public names."""
    return __all__
