"""Tests against real neighbours: the embedded Kafka, a Spark session, whole commands."""
