"""Absence: from which answers it follows that no record is there, by a table of statuses and by what nodes say.

Sources: LogDevice, Read path, Authoritative Status; common/client_read_stream/ClientReadStream.cpp and
common/EpochRecovery.cpp: a node that answers as if it had its data counts, whatever the event log says of it.
"""

from __future__ import annotations

from spec.language.handles import Bool, Factors, Set, known
from spec.log.quorum import is_complete, is_f_majority


def is_absence_proved(heard: Set, nonempty: Set, gone: Set, wiped: Set, replication: Factors) -> Bool:
    """An f-majority of the nodes that count, or all of them, were heard.

    One counts unless the event log says that its data is ``gone``. One that was heard all the same has its data, and
    the event log is behind; but where the disk of one is known to be lost, none of those counts.
    """
    by_table = is_f_majority(heard, nonempty, nonempty - gone, replication) | is_complete(heard, nonempty - gone)
    has_data = ~known(wiped) | (heard & gone & wiped).is_empty()
    return by_table | (has_data & is_f_majority(heard, nonempty, nonempty - (gone - heard), replication))
