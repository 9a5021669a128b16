"""What can be simulated besides logs: machines of families, and runs of texts told as traces."""
