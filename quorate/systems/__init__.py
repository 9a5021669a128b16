"""Adapters of real systems, which they start on loopback.

``pytest --quorate-adapter quorate.systems.kafka:acks_all`` asks three brokers of Kafka, and
``quorate.systems.bookkeeper:acks_two`` three bookies of BookKeeper.
"""
