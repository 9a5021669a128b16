"""Which entries of a ledger a bookie says that it has: BookKeeper, BP-34, Public Interfaces."""
