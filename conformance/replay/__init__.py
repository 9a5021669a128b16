"""Replay of recorded traces on the machine of events."""
