"""Sources, sentence by sentence: what each document demands, in our words, and what here holds systems to it.

A document is a table of its sentences in order. Each entry says in our own words what the sentence says, and names the
rules, clauses, theorems and tests that carry it. What demands nothing (a link, a picture, a motive) says why.
"""
