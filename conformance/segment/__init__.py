"""Metamorphic tests of segment layers: one script, many configurations, one history."""
