"""The columns reading: rules over numpy columns of a sorted trace, judged block by block and merged."""
