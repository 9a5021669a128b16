"""Rebuilding: what lay on a node that is lost, or is to leave, is re-replicated by the others; the event log says when.

LogDevice, Read path, Authoritative Status; docs/Rebuilding.md; common/event_log/EventLogRebuildingSet.cpp.
"""
