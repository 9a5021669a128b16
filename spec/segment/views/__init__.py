"""What the rules of segments speak about: channels and turns of control, sessions and calls, stretches of time."""
