"""Importers: recordings of other systems, in the form in which those systems are seen, turned into traces.

``kafka``, ``nats``, ``restate`` and ``history`` (any log, as its clients saw it) each have one function that gives a
header and events; ``commands`` holds what ``quorate import`` does. An importer writes down what was seen; the little
that it concludes is marked in the events and told in the header's note. What is wrong with an input is told by an error
of ``conformance.trace.errors``.
"""
