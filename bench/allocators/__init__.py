"""Strategies beside Kafka's own assignors, the real classes, on the same groups."""
