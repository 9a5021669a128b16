"""Vectors: cases with known answers, most of them from the tests of real systems, held against the specification."""
