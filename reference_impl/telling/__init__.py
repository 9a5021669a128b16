"""Telling: runs of protocol texts as traces, with all that the texts leave to the environment made up at random.

Each module tells what an implementation would record of the actions of one text. Rules are then held against runs of
the text itself: what the text allows must not be called broken, what breaks its goals must be.
"""
