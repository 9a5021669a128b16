"""Addresses: who takes part in a log. The second number is a node, a client or a read stream."""

from __future__ import annotations

from reference_impl.kernel.step import Address


def epoch_store(log: int) -> Address:
    """The epoch store of a log, which also serves as its metadata log."""
    return ("epochs", log, 0)


def sequencer(log: int, node: int) -> Address:
    """The sequencer of a log on a node, if it has one there."""
    return ("sequencer", log, node)


def recovery(log: int, node: int) -> Address:
    """The recovery that the sequencer on a node runs."""
    return ("recovery", log, node)


def storage(log: int, node: int) -> Address:
    """What a node stores of a log."""
    return ("storage", log, node)


def describer(log: int, node: int) -> Address:
    """What writes the metadata of a sequencer's epoch to the metadata log, and reads them there."""
    return ("describer", log, node)


def metadata_node(log: int, node: int) -> Address:
    """What a node stores of the metadata log of a log."""
    return ("metadata", log, node)


def finder(log: int, node: int) -> Address:
    """What reads the metadata log for a storage node."""
    return ("finder", log, node)


def donor(log: int, node: int) -> Address:
    """A node's part in rebuilding another one, for a log."""
    return ("donor", log, node)


def client(log: int, number: int) -> Address:
    """A client's session with a log."""
    return ("client", log, number)


def reader(log: int, stream: int) -> Address:
    """A read stream over a log."""
    return ("reader", log, stream)
