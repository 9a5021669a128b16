"""The documents as a site: those that were written, a page for each rule, and one search over all."""
