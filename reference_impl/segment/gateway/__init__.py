"""The gateway of an iterator: it asks every node that leads a channel, and answers when all have acknowledged."""
