"""LogDevice, Single Copy Delivery: its sentences, chapter by chapter, and what carries them."""
