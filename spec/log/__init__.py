"""The log family: LogDevice's sequencing, quorums, recovery and reads, and what descends from them."""
