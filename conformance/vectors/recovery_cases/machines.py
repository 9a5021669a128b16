"""Cases of the machine of one epoch: events in order, and the states that it and the shards have reached.

LogDevice, common/test/EpochRecoveryTest.cpp.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from conformance.vectors.recovery_cases.cluster import KINDS, Names
from conformance.vectors.recovery_cases.fields import Fields
from conformance.vectors.recovery_cases.findings import Findings
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
from spec.log.status import Status

ORDINALS: Final = ("first", "second", "third", "fourth", "fifth")
FINAL_STATES: Final = re.compile(r"(final_)?node_states\w*")
LAST_KNOWN_GOOD_MAX: Final = 1 << 16

History = list[tuple[str, tuple[str, ...], EpochRecovery]]
"""Each event with its name and its shards, and the machine after it."""


def machine_findings(fields: Fields) -> Findings:
    """What a case of events expects otherwise."""
    names, found = Names.of(fields), Findings()
    nodeset = names.nodeset(names.everyone(), fields)
    bridges = fields.flag("bridge_for_empty_epoch", default=True)
    machine = machine_of(nodeset, fields.number("seal_epoch"), bridge_in_empty_epoch=bridges)
    history: History = []
    for event in fields.items("events"):
        if not isinstance(event, list) or not event or not isinstance(event[0], str):
            raise fields.refuse("no such event", f"{event!r:.80}, where a name and its arguments must be")
        machine = _stepped(machine, event[0], event[1:], names, fields)
        shards = tuple(one for one in event[1:] if isinstance(one, str) and one in names.names)
        history.append((event[0], shards, machine))
    expected = fields.below("expected")
    for name in expected:
        if name == "state_after":
            _compare_states(expected.below(name), history, names, found)
        elif FINAL_STATES.fullmatch(name):
            _compare_nodes(expected.below(name), machine, names, found)
        else:
            found.unknown("machine", [name], ())
    return found


def _stepped(machine: EpochRecovery, name: str, said: Sequence[Any], names: Names, fields: Fields) -> EpochRecovery:
    """The machine after an event."""
    arguments = [*said, None, None]
    match name:
        case "activate":
            return activate(machine)
        case "grace_expired":
            return on_grace_expired(machine)
        case "timeout":
            return on_timeout(machine)
        case "sealed":
            good = fields.whole(arguments[1], LAST_KNOWN_GOOD_MAX)
            return on_sealed(machine, names.number(arguments[0], fields), good)
        case "digest_complete":
            copies = _copies(arguments[1], fields)
            for node in sorted(names.numbers(arguments[0] if isinstance(arguments[0], list) else [None], fields)):
                machine = on_digested(machine, node, copies)
            return machine
        case "mutation_done":
            return on_mutated(machine, fields.whole(arguments[0], ESN_MAX))
        case "cleaned":
            return on_cleaned(machine, names.number(arguments[0], fields))
        case "set_status":
            return on_status(machine, names.number(arguments[0], fields), fields.named(arguments[1], Status))
        case "node_dead":
            return on_death(machine, names.number(arguments[0], fields))
        case "node_alive":
            return machine
        case _:
            raise fields.refuse("no such event", repr(name))


def _copies(told: Any, fields: Fields) -> tuple[tuple[int, Held], ...]:
    """What every digest holds: by ESN a kind of record, and words such as "on both"."""
    kinds = {esn: str(said).partition(" ")[0] for esn, said in Fields(told or {}, fields.where).numbered().items()}
    if wrong := [kind for kind in kinds.values() if kind not in KINDS]:
        raise fields.refuse("no such kind of record", repr(wrong[0]))
    if max(kinds, default=0) > LAST_KNOWN_GOOD_MAX:
        raise fields.refuse("the epoch is too long", f"more than {LAST_KNOWN_GOOD_MAX} ESNs")
    return tuple((esn, KINDS[kind]._replace(number=1)) for esn, kind in sorted(kinds.items()))


def _compare_states(expected: Fields, history: History, names: Names, found: Findings) -> None:
    """After an event, told by its name and its shards; the last such event, unless an ordinal says which."""
    for about in expected:
        words = re.sub(r"\(.*?\)", "", about).split()
        which = ORDINALS.index(words.pop(0)) if words and words[0] in ORDINALS else -1
        shards = {word for word in words[1:] if word in names.names}
        after = [machine for name, of, machine in history if words[:1] == [name] and shards <= set(of)]
        if not after or which >= len(after):
            raise expected.refuse("no such event", f"{about!r:.80} is not among the events")
        state = _named(expected.text(about).partition(" ")[0], list(State.__members__), expected)
        found.compare(f"state after {about}", state, after[which].state.name)


def _compare_nodes(expected: Fields, machine: EpochRecovery, names: Names, found: Findings) -> None:
    """Which shards are in which state at the end."""
    for state in expected:
        reached = NodeState[_named(state, list(NodeState.__members__), expected)]
        wanted = names.numbers(expected.names(state), expected)
        seen = frozenset(node for node, at in machine.nodes.items() if at is reached)
        found.compare(f"shards in {state}", names.told(wanted), names.told(seen))


def _named(name: str, names: list[str], fields: Fields) -> str:
    if name not in names:
        raise fields.refuse("no such state", f"{name!r:.80}, where one of {', '.join(names)} must be")
    return name
