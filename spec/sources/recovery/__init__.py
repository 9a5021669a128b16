"""LogDevice, Recovery after the failure of a sequencer: its sentences, and what carries them."""
