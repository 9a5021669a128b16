"""A log's entities on a cluster: who takes part, on which host, and who records what they do."""

from __future__ import annotations

from typing import Final

from reference_impl.kernel.simulator import Entity, Simulator
from reference_impl.kernel.step import Address, Handlers
from reference_impl.log import (
    acknowledging,
    activation,
    addresses,
    amending,
    appending,
    client,
    disk,
    draining,
    epoch_store,
    metadata_log_writer,
    metadata_nodes,
    metadata_reading,
    node_log,
    purging,
    reader,
    reading,
    recovering,
    recovery,
    sequencer,
    storage,
    trimming,
    waves,
)
from reference_impl.log.copies import Nodes
from reference_impl.log.rebuilding import donor, event_log, holding, service

CONTROLLER: Final = "controller"
"""Records what sequencers, recoveries and the epoch store decide, statuses and faults."""

SEQUENCER: Final[Handlers] = {
    **activation.HANDLERS,
    **draining.going_on({**appending.HANDLERS, **acknowledging.HANDLERS, **waves.HANDLERS}),
}
"""Everything that a sequencer does."""


STORAGE: Final[Handlers] = {
    **storage.HANDLERS,
    **amending.HANDLERS,
    **purging.HANDLERS,
    **holding.HANDLERS,
    **disk.HANDLERS,
    **trimming.HANDLERS,
}
"""Everything that a node does with what it stores of a log, and what happens to that."""


EPOCHS: Final[Handlers] = {**epoch_store.HANDLERS, **service.HANDLERS}
"""Everything that the epoch store of a log does, and what operators tell it."""


def recorder_of(node: int) -> str:
    """Who records what a storage node does."""
    return f"node-{node}"


def open_log(simulator: Simulator, log: int, members: Nodes, clients: int) -> None:
    """Make the entities of a new log: an epoch store, clients, and on every member a place for each role."""
    entities, crashed = simulator.entities, simulator.context.decides(storage.after_crash)
    store = epoch_store.EpochStore(log, members)
    entities[addresses.epoch_store(log)] = Entity(EPOCHS, store, CONTROLLER)
    for node in sorted(members):
        copies = node_log.NodeLog(log, node)
        entities[addresses.storage(log, node)] = Entity(STORAGE, copies, recorder_of(node), node, crashed)
        entities[addresses.sequencer(log, node)] = Entity(
            SEQUENCER, sequencer.Sequencer(log, node), CONTROLLER, node, _no_sequencer
        )
        entities[addresses.recovery(log, node)] = Entity(
            recovering.HANDLERS, recovery.Recovery(log, node), CONTROLLER, node, _no_recovery
        )
    for number in range(clients):
        session = client.Client(log, number)
        entities[addresses.client(log, number)] = Entity(client.HANDLERS, session, f"client-{number}")


def open_metadata_log(simulator: Simulator, log: int) -> None:
    """Make the metadata log of a log, on all nodes of the cluster, and whoever writes and reads it there."""
    entities = simulator.entities
    for node in sorted(simulator.context.quorums.everyone):
        records, describer = metadata_nodes.MetadataNode(log, node), metadata_log_writer.Describer(log, node)
        finder = metadata_reading.Finder(log, node)
        entities[addresses.metadata_node(log, node)] = Entity(metadata_nodes.HANDLERS, records, CONTROLLER, node)
        entities[addresses.describer(log, node)] = Entity(
            metadata_log_writer.HANDLERS, describer, CONTROLLER, node, _no_describer
        )
        entities[addresses.finder(log, node)] = Entity(metadata_reading.HANDLERS, finder, CONTROLLER, node, _no_finder)


def open_event_log(simulator: Simulator) -> None:
    """Make the event log, which all nodes read."""
    simulator.entities[event_log.ADDRESS] = Entity(event_log.HANDLERS, event_log.EventLog(), CONTROLLER)


def open_donor(simulator: Simulator, log: int, node: int) -> Address:
    """Make a donor, if it is not there."""
    address = addresses.donor(log, node)
    if address not in simulator.entities:
        entity = Entity(donor.HANDLERS, donor.Donor(log, node), recorder_of(node), node, _no_donor)
        simulator.entities[address] = entity
    return address


def _no_donor(before: donor.Donor) -> donor.Donor:
    """A crash leaves nothing of a donor's work; the event log still says what there is to do."""
    return donor.Donor(before.log, before.node)


def _no_sequencer(before: sequencer.Sequencer) -> sequencer.Sequencer:
    """A crash leaves nothing of a sequencer."""
    return sequencer.Sequencer(before.log, before.node)


def _no_describer(before: metadata_log_writer.Describer) -> metadata_log_writer.Describer:
    """A crash leaves nothing of what was to be written, nor of what was waited for."""
    return metadata_log_writer.Describer(before.log, before.node)


def _no_finder(before: metadata_reading.Finder) -> metadata_reading.Finder:
    """A crash leaves no questions, and no answer to an earlier one may count."""
    return metadata_reading.Finder(before.log, before.node, asked=before.asked)


def _no_recovery(before: recovery.Recovery) -> recovery.Recovery:
    """A crash leaves nothing of a recovery."""
    return recovery.Recovery(before.log, before.node)


def open_reader(simulator: Simulator, log: int, stream: int) -> Address:
    """Make a reader; it begins when it is told where."""
    address = addresses.reader(log, stream)
    simulator.entities[address] = Entity(reading.HANDLERS, reader.Reader(log, stream), f"reader-{stream}")
    return address


def close_log(simulator: Simulator, log: int, nodes: int, clients: int, readers: int) -> None:
    """Take a log from the cluster, with everything that it has there; messages to it reach nobody."""
    gone = [addresses.epoch_store(log)]
    for node in range(nodes):
        gone += [addresses.storage(log, node), addresses.sequencer(log, node), addresses.recovery(log, node)]
        gone.append(addresses.donor(log, node))
        gone += [addresses.metadata_node(log, node), addresses.describer(log, node), addresses.finder(log, node)]
    gone += [addresses.client(log, number) for number in range(clients)]
    gone += [addresses.reader(log, stream) for stream in range(readers)]
    for address in gone:
        simulator.entities.pop(address, None)
