"""Repair of a log's old epochs in every detail: digests, outcomes, seals, mutation, purging, and what readers see.

Source: LogDevice, Recovery; common/Digest.cpp, common/EpochRecovery.cpp and server/storage/ of LogDevice. Recoveries of
``reference_impl.log.recovering`` do with messages what these functions say; they know no byte offsets.
"""
