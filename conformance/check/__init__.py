"""Checking: one trace, all rules in force, in this process; and the explanation of what was found.

``check`` in ``conformance.check.checking`` gives a ``spec.reports.report.Report``; ``explain`` in
``conformance.check.story`` tells one violation from the events of the record.
"""
