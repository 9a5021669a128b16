"""Cases of recovery: each level of them read, run on the reference machine, and compared."""
