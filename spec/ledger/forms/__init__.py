"""The forms in which a metadata server keeps a ledger's metadata and its marks, read and written."""
