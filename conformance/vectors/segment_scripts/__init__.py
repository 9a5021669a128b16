"""Scripts of iterators over segments, with the answers that a real engine gave."""
