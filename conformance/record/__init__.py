"""Live recorders: start a real replicated log on loopback, hurt it, and write down what happened.

Each recorder starts three nodes of a released system, lets clients write, kills or pauses nodes, and leaves raw JSON
lines: `kafka.record_kafka`, `nats.record_nats` and `restate.record_restate`. Judging the recordings is the work of
`conformance.check`.

The recorders need the optional group `live`; this package itself imports nothing heavy.
"""
