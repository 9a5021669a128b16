"""The protocol of one ledger in pure steps: writer, bookies, metadata server, recovery, readers and replicator."""
