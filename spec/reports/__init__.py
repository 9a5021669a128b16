"""Reports: what a verdict looks like to people and to machines, whichever engine judged."""
