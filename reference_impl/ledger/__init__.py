"""The executable model of a ledger as BookKeeper keeps it."""
