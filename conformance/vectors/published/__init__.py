"""Vectors that quorate publishes: cases made by chance, each with what the specification says of it."""
