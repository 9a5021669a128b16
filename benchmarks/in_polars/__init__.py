"""The rules as Polars expressions: a peer in benchmarks, and no reading that anything else relies on."""
