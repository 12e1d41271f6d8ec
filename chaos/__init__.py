"""Chaos: real members on a real Kafka with a real controller, and faults drawn from a seed.

`make chaos MINUTES=30 SEED=7` runs it. Everything that happens is written down on one clock; after
the faults are over, pure checks say whether the history keeps what is promised. Nothing in
production imports from here.
"""
