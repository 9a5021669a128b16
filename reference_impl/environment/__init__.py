"""The environment: the cluster that the protocol runs on, those who steer it, and what goes wrong."""
