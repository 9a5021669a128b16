"""The reference machine: how one correct system behaves, as pure steps, and a simulator that drives them."""
