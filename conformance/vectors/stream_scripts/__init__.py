"""Scripts of read streams: what they may do and expect, and how their values are read."""
