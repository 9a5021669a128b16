"""Repair of a log's old epochs in every detail: digests, outcomes, seals, mutation, purging, and what readers see.

Source: LogDevice, Recovery; common/Digest.cpp, common/EpochRecovery.cpp and server/storage/ of LogDevice. The machine
of ``reference_impl.log.recovery`` is the same protocol with one outcome for a whole tail, and no byte offsets.
"""
