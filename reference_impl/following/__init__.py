"""Following: recorded and simulated events are steps of a text that is proved, or the first that is none is told.

A guide says of each event which step of the text it claims to be; the text itself decides whether that may happen.
"""
