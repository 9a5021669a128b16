"""Ledgers: BookKeeper's protocol, and the checker of BP-34 beside it."""
