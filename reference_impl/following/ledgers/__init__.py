"""Ledgers: their events as steps of the text ``ensemble_change``."""
