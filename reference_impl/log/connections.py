"""Connections: a reader takes what a node sends in the order in which it was sent, or not at all.

LogDevice relies on connections that keep the order of messages: common/client_read_stream/ClientReadStream.cpp, onGap,
believes a shard that it has sent everything before. The network here loses, repeats and reorders messages. So nodes
number them, and a reader keeps what comes early until what is missing was repeated.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from reference_impl.log.reading_messages import Answer


class Link(NamedTuple):
    """A reader's connection to one node.

    Attributes:
        connection: its number; a new one for each time that it is opened.
        order: how many STARTs were sent to the node.
        life: which life of the node speaks; 0 before it has said anything.
        expected: the number of the node's next message.
        early: what came before that message.
        closed: whether nothing that comes counts any more.
    """

    connection: int = 0
    order: int = 0
    life: int = 0
    expected: int = 0
    early: Mapping[int, Answer] = {}
    closed: bool = True

    @property
    def established(self) -> bool:
        """The node has answered over it."""
        return not self.closed and self.expected > 0


def asking(link: Link) -> Link:
    """Before a START is sent: over the same connection if the node has answered over it, else over a new one."""
    if link.established:
        return link._replace(order=link.order + 1)
    return Link(link.connection + 1, link.order + 1, closed=False)


def is_broken(link: Link, answer: Answer) -> bool:
    """The node was started anew, so nobody will repeat what is missing."""
    return not link.closed and answer.connection == link.connection and 0 < link.life < answer.life


def arrived(link: Link, answer: Answer) -> tuple[Link, list[Answer]]:
    """Take a message, and what came early, as far as nothing is missing; what is old or came before is dropped."""
    stale = link.closed or answer.connection != link.connection or answer.life != (link.life or answer.life)
    if stale or answer.number < link.expected:
        return link, []
    if answer.number > link.expected:
        return link._replace(life=answer.life, early={**link.early, answer.number: answer}), []
    taken: list[Answer] = [answer]
    early = link.early
    while (following := early.get(answer.number + len(taken))) is not None:
        taken.append(following)
    expected = link.expected + len(taken)
    if early:
        early = {number: one for number, one in early.items() if number >= expected}
    return link._replace(life=answer.life, expected=expected, early=early), taken
