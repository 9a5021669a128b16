"""Protocol texts: each protocol once, proved for any number of nodes and explored for a few."""
