"""Wording: the text's elements and rows, and the machine's states, as people call them."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from textwrap import shorten
from typing import Any, Final

from reference_impl.kernel.pages import Pages
from reference_impl.kernel.simulator import Transition
from reference_impl.kernel.step import Address
from reference_impl.log.copies import Nodes
from reference_impl.log.lsn import epoch_of, esn_of
from reference_impl.refinement.contents import PAYLOAD, By
from reference_impl.refinement.texts import EpochText
from spec.events import BRIDGE, HOLE, RECORD
from spec.language.protocol.sorts import Sort
from spec.language.protocol.states import State
from spec.protocols.epoch import Epoch
from spec.protocols.parts import Status
from spec.protocols.sorts import FMajority, Node, Slot, Value, Writer

ROLES: Final = {
    "epochs": "the epoch store of log {log}",
    "sequencer": "the sequencer of log {log} on node {number}",
    "storage": "the storage of log {log} on node {number}",
    "recovery": "the recovery of log {log} on node {number}",
    "client": "client {number} of log {log}",
    "reader": "reader {number} of log {log}",
    "environment": "the environment",
    "donor": "the donor of log {log} on node {number}",
    "events": "the event log",
}

LSNS: Final = frozenset({"lsn", "released"})
"""Fields that are LSNs."""

BECOMES: Final = {RECORD: "record", HOLE: "hole", BRIDGE: "bridge"}

NOTHING: Final = "nothing"

WIDTH: Final = 400
"""The longest line of the machine's part: messages may carry a whole epoch."""


def entity(address: Address) -> str:
    """Who takes a step."""
    role, log, number = address
    return ROLES[role].format(log=log, number=number)


def element(sort: type[Sort], number: int, text: EpochText, heard: Nodes | None = None) -> str:
    """What an element of the text stands for."""
    if sort is Node:
        return f"node {number}"
    if sort is Writer:
        return "the sequencer" if number == 0 else writer(text.writers[number - 1])
    if sort is Status:
        return Status.constants[number]
    if sort is Slot:
        return f"ESN {number + 1}"
    if sort is Value:
        named = (*Value.constants, "its payload")
        return named[number] if number <= PAYLOAD else "another payload"
    if sort is FMajority and heard is not None:
        return f"nodes {', '.join(map(str, sorted(heard)))}"
    return f"{sort.__name__.lower()} {number}"


def writer(by: By) -> str:
    """What a recovery is called; most decide once."""
    return f"the recovery by epoch {by.recovery}" + (f" in round {by.round}" if by.round > 1 else "")


def rows(text: EpochText, state: State, slots: Container[int]) -> Iterator[str]:
    """The rows of a state of the text that speak of these slots or of none, as sentences."""
    for name, relation in Epoch.relations.items():
        for row in sorted(state[name]):
            pairs = list(zip(relation.sorts, row, strict=True))
            if all(number in slots for sort, number in pairs if sort is Slot):
                yield relation.phrase.format(*(element(sort, number, text) for sort, number in pairs))


def changes(before: Any, after: Any) -> Iterator[str]:
    """What a step changed in an entity, a line for each field or key; nothing where its state is not known."""
    if before is None:
        return
    old, new = _parts(before), _parts(after)
    for name in dict.fromkeys([*old, *new]):
        if old.get(name) != new.get(name):
            yield f"{name}: {old.get(name, NOTHING)} -> {new.get(name, NOTHING)}"


def _parts(state: Any) -> dict[str, str]:
    """An entity's fields, and the keys of those that are maps."""
    found: dict[str, str] = {}
    for name, value in state._asdict().items():
        if isinstance(value, Pages):
            found |= {f"{name}[{_lsn(key)}]": plain(one) for key, one in value.items()}
        elif isinstance(value, Mapping):
            found |= {f"{name}[{key}]": plain(one) for key, one in value.items()}
        else:
            found[name] = _field(name, value)
    return found


def _field(name: str, value: Any) -> str:
    if name in LSNS:
        return _lsn(value)
    if name == "becomes" and value in BECOMES:
        return BECOMES[value]
    if name == "copies" and isinstance(value, tuple):
        return "{" + ", ".join(f"{_lsn(lsn)}: {plain(copy)}" for lsn, copy in value) + "}"
    return plain(value)


def _lsn(lsn: int) -> str:
    return f"epoch {epoch_of(lsn)} ESN {esn_of(lsn)}"


def plain(value: Any) -> str:
    """A message or another value of the machine on one line."""
    if isinstance(value, frozenset):
        return "{" + ", ".join(map(plain, sorted(value))) + "}"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {plain(one)}" for key, one in value.items()) + "}"
    if isinstance(value, tuple):
        names: tuple[str, ...] = getattr(value, "_fields", ())
        if not names:
            return f"({', '.join(map(plain, value))})"
        inside = (f"{name}={_field(name, one)}" for name, one in zip(names, value, strict=True))
        return f"{type(value).__name__}({', '.join(inside)})"
    return str(getattr(value, "name", value))


def short(line: str) -> str:
    """A line of the machine's part, cut where it is too long."""
    return "  " + shorten(line, WIDTH, placeholder=" ...")


def of_machine(number: int, trail: Sequence[Transition], taken: Transition, text: str) -> Iterator[str]:
    """What the machine did, by a trail of steps that ends with this one, and that the text has no such step."""
    yield from (short(f"{entity(one.to)} was given {plain(one.message)}") for one in trail[:-1])
    yield f"Step {number} of the machine is no step of the text {text}."
    yield f"The machine: {entity(taken.to)} was given"
    yield short(plain(taken.message))
