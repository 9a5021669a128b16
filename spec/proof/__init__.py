"""Proofs: terms read by an SMT solver. The only part of the project that imports z3."""
