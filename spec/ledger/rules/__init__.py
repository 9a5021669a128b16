"""The rules of ledgers, by chapter."""
