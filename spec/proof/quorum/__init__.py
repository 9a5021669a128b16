"""The theory of quorums, chapter by chapter: theorems as data, in the words of the rules themselves."""
