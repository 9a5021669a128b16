"""Generating traces of any size whose every violation is known: copies of small simulated runs, side by side."""
