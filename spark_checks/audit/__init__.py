"""The audit of ledgers: what bookies say that they have, held against metadata, for millions of ledgers at once.

The rules are those of ``spec.ledger``; here numpy reads them, over columns, and each module says which function of the
specification it agrees with. BookKeeper, BP-34, High Level Logic.
"""
