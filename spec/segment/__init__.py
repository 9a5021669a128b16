"""The segment family: samples of channels in segments on many nodes, read by iterators and filled by writers.

Source: Synnax, Segment Distribution (RFC 3), and what its implementation does where the two differ.
"""
