"""What a client of any replicated log may see, whatever the log is made of."""
