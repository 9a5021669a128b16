"""Following of logs: what is recorded of an epoch is followed by the text ``Epoch``, as the machine itself is."""
