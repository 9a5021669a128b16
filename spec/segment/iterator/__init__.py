"""Iterators: what whoever reads ranges of channels may see, as a function of the set of samples alone."""
