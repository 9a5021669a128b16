"""Adapters: what stands between a log and the suite that drives it, in Python or in any language."""
