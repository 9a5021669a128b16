"""The explorer: every state that a protocol text can reach in a finite world, or a shortest way to break its goals."""
