"""The suite: histories made by chance, run on a log through its adapter, and judged guarantee by guarantee."""
