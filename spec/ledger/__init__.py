"""Ledgers: rules and definitions of Apache BookKeeper's protocol."""
