"""Adapters of real systems, which they start on loopback.

``pytest --quorate-adapter quorate.systems.kafka:acks_all`` asks three brokers of Kafka, and likewise
``quorate.systems.bookkeeper``, ``nats`` and ``restate`` their own servers.
"""
