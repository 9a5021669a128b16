"""Serving reads: what a storage node sends to readers, from START to STOP.

LogDevice, Read path, How reads happen, and Single Copy Delivery; server/read_path/CatchupOneStream.cpp.
"""
