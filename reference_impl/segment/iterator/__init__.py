"""The iterator of one channel over stored segments: right, and with each flaw that Synnax's is known to have."""
