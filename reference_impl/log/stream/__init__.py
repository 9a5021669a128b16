"""Read streams: the whole client side of reading a log, as a pure state machine of single messages.

``machine.step`` takes a stream and one input and gives the next stream and what is to be done. Each module is one
concept of LogDevice, Read path and Single Copy Delivery, and of common/client_read_stream/ where they are silent.
``reference_impl.log.reading`` lets it read in the simulated log.
"""
