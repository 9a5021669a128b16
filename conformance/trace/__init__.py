"""Traces: what recorders saw of a system, as JSON lines for people and Parquet for machines.

``open_trace`` in ``conformance.trace.open`` reads either form; ``commands`` holds what ``quorate trace`` does. Schemas
are derived from the event classes of ``spec.events``, never written a second time. Whatever is wrong with an input is
told by one of the errors of ``errors``.
"""
