"""Delivery: which of the nodes that have a record send it, and which nodes a reader does not wait for.

LogDevice, Single Copy Delivery, and Read path, Single copy delivery and SCD greylisting. Pure functions: the storage
node's part is ``shuffle``, ``shipping``, ``local`` and ``copyset_index``; the reader's is ``filtered_out``,
``outliers`` and ``greylist``.
"""
