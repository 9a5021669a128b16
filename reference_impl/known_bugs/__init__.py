"""Known bugs found: by search in the protocol texts, and in runs of the reference machine."""
