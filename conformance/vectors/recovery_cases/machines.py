"""Cases of the machine of one epoch: events in order, and the states that it and the shards have reached.

LogDevice, common/test/EpochRecoveryTest.cpp.
"""

from __future__ import annotations

import re
from typing import Final

from conformance.vectors.fields import Fields
from conformance.vectors.recovery_cases.copies import KINDS
from conformance.vectors.recovery_cases.findings import Findings
from conformance.vectors.shards import Shards, replication_of
from reference_impl.log.lsn import ESN_MAX
from reference_impl.log.repair.epoch_machine import (
    EpochRecovery,
    NodeState,
    State,
    activate,
    machine_of,
    on_cleaned,
    on_death,
    on_digested,
    on_grace_expired,
    on_mutated,
    on_sealed,
    on_status,
    on_timeout,
)
from reference_impl.log.repair.held import Held
from reference_impl.log.repair.nodeset import Nodeset
from spec.log.status import Status

EVENTS: Final = (
    *("activate", "sealed", "digest_complete", "mutation_done", "cleaned"),
    *("grace_expired", "timeout", "set_status", "node_dead", "node_alive"),
)
ORDINALS: Final = {"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "last": -1}
"""Which of several events of a name; the last one, where none of these words tells."""

FINAL_STATES: Final = re.compile(r"(final_)?node_states\w*")
LAST_KNOWN_GOOD_MAX: Final = 1 << 16

History = list[tuple[str, tuple[str, ...], EpochRecovery]]
"""Each event with its name and its shards, and the machine after it."""


def machine_findings(fields: Fields) -> Findings:
    """What a case of events expects otherwise."""
    shards, found = Shards.of(fields), Findings()
    nodeset = Nodeset.of(shards.everyone(), replication_of(fields), shards.parameters)
    bridges = fields.flag("bridge_for_empty_epoch", default=True)
    machine = machine_of(nodeset, fields.number("seal_epoch"), bridge_in_empty_epoch=bridges)
    history: History = []
    for event in fields.every("events", Fields.members):
        name = event.text(_at(event, 0))
        machine = _stepped(machine, name, event, shards)
        said = [one for part in map(event.raw, event) for one in (part if isinstance(part, list) else [part])]
        history.append((name, tuple(one for one in said if one in shards.names), machine))
    expected = fields.below("expected")
    for name in expected:
        if name == "state_after":
            _compare_states(expected.below(name), history, shards, found)
        elif FINAL_STATES.fullmatch(name):
            _compare_nodes(expected.below(name), machine, shards, found)
    return found


def _at(event: Fields, place: int) -> str:
    """The name of an argument of an event, whose own name is at 0."""
    names: list[str] = [*event, *(f"argument {missing}" for missing in range(len(event), place + 1))]
    return names[place]


def _stepped(machine: EpochRecovery, name: str, event: Fields, shards: Shards) -> EpochRecovery:
    """The machine after an event."""
    first, second = _at(event, 1), _at(event, 2)
    match name:
        case "activate":
            return activate(machine)
        case "grace_expired":
            return on_grace_expired(machine)
        case "timeout":
            return on_timeout(machine)
        case "sealed":
            good = event.number(second, most=LAST_KNOWN_GOOD_MAX)
            return on_sealed(machine, shards.number(event, first), good)
        case "digest_complete":
            copies = _copies(event, second)
            one = isinstance(event.raw(first), str)
            for shard in sorted({shards.number(event, first)} if one else shards.numbers(event, first)):
                machine = on_digested(machine, shard, copies)
            return machine
        case "mutation_done":
            return on_mutated(machine, event.number(first, most=ESN_MAX))
        case "cleaned":
            return on_cleaned(machine, shards.number(event, first))
        case "set_status":
            return on_status(machine, shards.number(event, first), event.one_of(second, Status))
        case "node_dead":
            return on_death(machine, shards.number(event, first))
        case "node_alive":
            return machine
        case _:
            raise event.refuse_part("no such event", _at(event, 0), f"one of {', '.join(EVENTS)}")


def _copies(event: Fields, name: str) -> tuple[tuple[int, Held], ...]:
    """What every digest holds: by ESN a kind of record, and words such as "on both"."""
    told = event.below(name, {})
    esns = told.numbered()
    if max(esns, default=0) > LAST_KNOWN_GOOD_MAX:
        raise event.refuse("the epoch is too long", f"{told.path(str(max(esns)))}", f"ESNs up to {LAST_KNOWN_GOOD_MAX}")
    kinds = {esn: told.text(name).partition(" ")[0] for esn, name in esns.items()}
    if wrong := [esns[esn] for esn, kind in kinds.items() if kind not in KINDS]:
        raise told.refuse_part("no such kind of record", wrong[0], f"one of {', '.join(KINDS)}")
    return tuple((esn, KINDS[kind]._replace(number=1)) for esn, kind in sorted(kinds.items()))


def _compare_states(expected: Fields, history: History, shards: Shards, found: Findings) -> None:
    """After an event, told by its name and its shards; the last such event, unless an ordinal says which."""
    for about in expected:
        words = re.findall(r"[\w:]+", re.sub(r"\(.*?\)", "", about))
        which = ORDINALS[words.pop(0)] if words and words[0] in ORDINALS else -1
        named = {word for word in words[1:] if word in shards.names}
        after = [machine for name, of, machine in history if words[:1] == [name] and named <= set(of)]
        if not after or which >= len(after):
            raise expected.refuse_name("no such event", about, "a name and shards of the events")
        state = expected.text(about).partition(" ")[0]
        if state not in State.__members__:
            raise expected.refuse_part("no such state", about, f"one of {', '.join(State.__members__)}")
        found.compare(f"state after {about}", state, after[which].state.name)


def _compare_nodes(expected: Fields, machine: EpochRecovery, shards: Shards, found: Findings) -> None:
    """Which shards are in which state at the end."""
    for state in expected:
        if state not in NodeState.__members__:
            known = ", ".join(NodeState.__members__)
            raise expected.refuse_name("no such state", state, f"one of {known}")
        wanted = shards.numbers(expected, state)
        seen = frozenset(node for node, at in machine.nodes.items() if at is NodeState[state])
        found.compare(f"shards in {state}", shards.names_of(wanted), shards.names_of(seen))
