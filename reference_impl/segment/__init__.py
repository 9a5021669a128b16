"""Segments of channels as a system keeps and reads them: storage, iterators, nodes and the gateway before them."""
