"""Segments of channels across a cluster: what callers of iterators and writers may see, and what nodes do for it.

Source: Synnax, Segment Distribution (RFC 3), and what its implementation does where the two differ.
"""
