"""The segment family: samples of channels in segments on many nodes, read by iterators and filled by writers."""
