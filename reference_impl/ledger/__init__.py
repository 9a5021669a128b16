"""The executable model of what works on BookKeeper's ledgers."""
