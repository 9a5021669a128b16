"""Stores: a trace as it grows, in ranges that are judged once, and again only where something in them has changed."""
