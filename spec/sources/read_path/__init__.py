"""LogDevice, Read path: its sentences, chapter by chapter, and what carries them."""
