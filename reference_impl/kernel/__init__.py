"""The kernel: steps, a virtual clock, a network and faults. It knows no protocol."""
