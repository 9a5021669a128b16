"""The checker of a cluster's metadata, BookKeeper's BP-34: one ledger at a time, in pure steps, effects outside."""
